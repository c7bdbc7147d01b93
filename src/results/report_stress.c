/* Magnitudes of the stress resultants of a section,
 *
 *     axial |n3|,    shear |(n1, n2)|,    bending |(m1, m2)|,    torsion |m3|,
 *
 * each in 255 steps of its largest value in the page, one colour per step. */
#include "results/report_stress.h"

#include <math.h>

#include "base/memory.h"

enum { KINDS = OLO_REPORT_STRESSES, STEPS = 255 };

static const struct {
    const char *name;
    size_t column; /* one with its units, of n1 to m3 */
} KIND[KINDS] = {{"axial force", 2}, {"shear force", 0}, {"bending moment", 3}, {"torsion", 5}};

bool olo_report_stress_begin(olo_report_stress *stress, olo_result *result,
                             const olo_drawable *const *shown, size_t count, size_t frames)
{
    *stress = (olo_report_stress){
        .result = result, .frames = frames, .source = olo_sweep_find_stress(result)};
    if (stress->source.width == 0)
        return true;
    stress->row = olo_pool_alloc(&stress->pool, stress->source.width, sizeof *stress->row);
    stress->sweep = olo_pool_alloc(&stress->pool, count, sizeof *stress->sweep);
    stress->drawable = olo_pool_alloc(&stress->pool, count, sizeof *stress->drawable);
    if (stress->pool.failed)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (olo_drawable_is_sweep(shown[i])) {
            stress->drawable[stress->count] = (int32_t)i;
            stress->sweep[stress->count++] = shown[i];
        }
    }
    stress->size =
        olo_pool_alloc(&stress->pool, frames * stress->count, KINDS * sizeof *stress->size);
    return !stress->pool.failed;
}

olo_status olo_report_stress_read(olo_report_stress *stress, size_t frame, size_t row,
                                  olo_error *error)
{
    const size_t first[2] = {row, 0}, one[2] = {1, stress->source.width};
    if (stress->count == 0)
        return OLO_OK;
    const olo_status status =
        olo_hdf5_read(stress->result->file, "/frames/stress", first, one, stress->row, error);
    for (size_t i = 0; status == OLO_OK && i < stress->count; i++) {
        double n[6];
        (void)olo_sweep_resultants(stress->sweep[i], stress->row, stress->source.width, n);
        const double size[KINDS] = {fabs(n[2]), hypot(n[0], n[1]), hypot(n[3], n[4]), fabs(n[5])};
        for (size_t k = 0; k < KINDS; k++) {
            stress->size[(frame * stress->count + i) * KINDS + k] =
                (float)(isfinite(size[k]) ? size[k] : 0.0);
        }
    }
    return status;
}

bool olo_report_stress_write(const olo_report_stress *stress, olo_json *json)
{
    const size_t numbers = stress->frames * stress->count * KINDS;
    double largest[KINDS] = {0};
    if (numbers == 0)
        return true;
    uint8_t *steps = olo_alloc(numbers, sizeof *steps);
    if (steps == NULL)
        return false;
    for (size_t i = 0; i < numbers; i++)
        largest[i % KINDS] = fmax(largest[i % KINDS], stress->size[i]);
    for (size_t i = 0; i < numbers; i++) {
        const double largest_value = largest[i % KINDS];
        steps[i] =
            (uint8_t)(largest_value > 0.0 ? lround(STEPS * (stress->size[i] / largest_value)) : 0);
    }
    olo_json_open(json, "stress", '{');
    olo_json_open(json, "names", '[');
    for (size_t k = 0; k < KINDS; k++)
        olo_json_text(json, NULL, KIND[k].name);
    olo_json_close(json);
    olo_json_open(json, "units", '[');
    for (size_t k = 0; k < KINDS; k++) {
        const size_t column = stress->source.column + KIND[k].column;
        olo_json_text(json, NULL, stress->result->columns[column].units);
    }
    olo_json_close(json);
    olo_json_numbers(json, "largest", largest, KINDS);
    olo_json_integer(json, "count", (long)stress->count);
    olo_json_bytes(json, "drawable", stress->drawable, stress->count * sizeof *stress->drawable);
    olo_json_bytes(json, "size", steps, numbers * sizeof *steps);
    olo_json_close(json);
    olo_free(steps);
    return true;
}

void olo_report_stress_free(olo_report_stress *stress)
{
    olo_pool_free(&stress->pool);
    *stress = (olo_report_stress){0};
}
