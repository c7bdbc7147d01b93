/* The motion in a report.
 *
 * In every frame a node has its position, three 16-bit numbers relative to the box in which it
 * moves,
 *
 *     x = lower + (upper - lower) k/65535,
 *
 * and a body its orientation as a unit quaternion (w, x, y, z) of 16-bit numbers, k/32767, with
 * continuous signs from frame to frame. Both errors are smaller than a pixel. Stress resultants of
 * beams are in report_stress.c, contacts in report_contacts.c. */
#include "results/report_frames.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "linalg/rotation.h"
#include "linalg/vec3.h"
#include "results/report_contacts.h"
#include "results/report_stress.h"
#include "results/result_scene.h"
#include "system/node.h"

/* The largest number of frames; and the smallest for a smooth animation, below which bodies are
 * omitted instead. */
static const size_t FRAMES_MAX = 2400, FRAMES_MIN = 120;

/* Bytes per node and frame in base64: 3 + 4 numbers of 16 bits. */
static const double NODE_BYTES = 14.0 * 4.0 / 3.0;
/* Bytes per sweep and frame: its stress resultants in base64. */
static const double SWEEP_BYTES = OLO_REPORT_STRESSES * 4.0 / 3.0;
/* Bytes per contact and frame in base64. */
static const double CONTACT_BYTES = OLO_REPORT_CONTACT_BYTES * 4.0 / 3.0;
/* Bytes per node beside its frames: its name and about three drawables. */
static const double NODE_CONSTANT_BYTES = 420.0;

/* The part of a result that a page shows. */
typedef struct motion {
    olo_result *result;
    olo_pool pool; /* memory of all arrays but the texts and the scene */
    size_t nodes;  /* in the file */
    char **names, **kinds;
    double *offsets;
    size_t shown, stride; /* nodes in the page, every stride-th */
    size_t frames, step;  /* frames in the page, every step-th and the last */
    double *q, *x;        /* one row of the file */
    float *positions;     /* [frames][shown][3] */
    int16_t *turns;       /* [frames][shown][4] */
    double *time;         /* [frames] */
    olo_drawable *list;   /* the scene of the file */
    size_t drawables;
    const olo_drawable **drawn; /* the drawables in the page */
    size_t drawn_count;
    olo_report_stress stress;
    olo_report_contacts contacts;
} motion;

static olo_status no_memory(const motion *m, olo_error *error)
{
    return olo_fail(error, OLO_NO_MEMORY, "cannot report '%s': out of memory", m->result->path);
}

/* ---- reading --------------------------------------------------------------------------------- */

static olo_status read_nodes(motion *m, olo_error *error)
{
    olo_hdf5 *file = m->result->file;
    size_t kinds = 0;
    olo_status status = olo_hdf5_read_texts(file, "/nodes/name", &m->names, &m->nodes, error);
    if (status == OLO_OK)
        status = olo_hdf5_read_texts(file, "/nodes/kind", &m->kinds, &kinds, error);
    if (status != OLO_OK)
        return status;
    m->offsets = olo_pool_alloc(&m->pool, m->nodes, sizeof(double));
    if (m->offsets == NULL)
        return no_memory(m, error);
    // olo_result_open has checked that these lists fit together
    const size_t first[2] = {0, 0}, count[2] = {m->nodes, 1};
    return olo_hdf5_read(file, "/nodes/offset", first, count, m->offsets, error);
}

/* The mean number of sweeps per node. */
static double sweeps_of_node(const motion *m)
{
    size_t sweeps = 0;
    for (size_t i = 0; i < m->drawables; i++)
        sweeps += olo_drawable_is_sweep(&m->list[i]);
    return (double)sweeps / (double)m->nodes;
}

/* Chooses how many nodes and frames fit into the given bytes. */
static void choose(motion *m, size_t bytes)
{
    const size_t rows = m->result->rows;
    const size_t least = rows < FRAMES_MIN ? rows : FRAMES_MIN;
    const double contacts = (double)olo_report_contact_count(m->result) / (double)m->nodes;
    const double frame = NODE_BYTES + SWEEP_BYTES * sweeps_of_node(m) + CONTACT_BYTES * contacts;
    const double each = NODE_CONSTANT_BYTES + frame * (double)least;
    const double max_nodes = fmax(floor((double)bytes / each), 1.0);
    m->stride = (size_t)fmax(ceil((double)m->nodes / max_nodes), 1.0);
    m->shown = (m->nodes + m->stride - 1) / m->stride;
    const double remaining = (double)bytes - NODE_CONSTANT_BYTES * (double)m->shown;
    size_t limit = (size_t)fmax(remaining / (frame * (double)m->shown), 2.0);
    limit = limit < FRAMES_MAX ? limit : FRAMES_MAX;
    m->step = rows > limit ? (rows - 2) / (limit - 1) + 1 : 1;
    m->frames = rows > 1 ? (rows - 2) / m->step + 2 : rows;
}

/* The number of a node in the page: -1 for space, -2 for a node that is not shown. */
static int shown_node(const motion *m, int node)
{
    if (node < 0)
        return -1;
    return (size_t)node % m->stride != 0 ? -2 : (int)((size_t)node / m->stride);
}

/* A sweep that begins at a shown node is extended over the following sweeps to the next shown node:
 * a long beam is drawn with fewer sections, not with gaps. */
static void join_sweeps(motion *m, size_t i)
{
    olo_drawable *d = &m->list[i];
    if (m->stride == 1 || !olo_drawable_is_sweep(d) || shown_node(m, d->node[0]) == -2)
        return;
    for (size_t k = i + 1; k < m->drawables && shown_node(m, d->node[1]) == -2; k++) {
        const olo_drawable *next = &m->list[k];
        if (!olo_drawable_is_sweep(next) || next->node[0] != d->node[1])
            return;
        d->node[1] = next->node[1];
        d->point[1] = next->point[1];
        vec3_copy(next->end, d->end);
        memcpy(d->size + 3, next->size + 3, 9 * sizeof *d->size); // axes of its other end
    }
}

/* A solid is shown when its node is shown, a link or a sweep when both nodes are. */
static olo_status choose_drawables(motion *m, olo_error *error)
{
    m->drawn = olo_pool_alloc(&m->pool, m->drawables, sizeof *m->drawn);
    for (size_t i = 0; m->drawn != NULL && i < m->drawables; i++) {
        const olo_drawable *d = &m->list[i];
        join_sweeps(m, i);
        const bool first = shown_node(m, d->node[0]) > -2;
        const bool second = shown_node(m, d->node[1]) > -2;
        if (first && (second || !(olo_drawable_is_link(d) || olo_drawable_is_sweep(d))))
            m->drawn[m->drawn_count++] = d;
    }
    const bool enough = m->drawn != NULL && olo_report_stress_begin(&m->stress, m->result, m->drawn,
                                                                    m->drawn_count, m->frames);
    return enough ? OLO_OK : no_memory(m, error);
}

/* The row of the file that a frame shows. */
static size_t row_of(const motion *m, size_t frame)
{
    return frame + 1 < m->frames ? frame * m->step : m->result->rows - 1;
}

static void quantise_turn(const double w[4], const int16_t *before, int16_t *turn)
{
    double along = 0.0;
    for (int i = 0; i < 4; i++)
        along += before != NULL ? w[i] * before[i] : 0.0;
    const double sign = along < 0.0 ? -32767.0 : 32767.0;
    for (int i = 0; i < 4; i++) {
        const double k = sign * w[i];
        turn[i] = (int16_t)(isfinite(k) ? lround(k) : 0);
    }
}

static olo_status read_row(motion *m, size_t row, olo_error *error)
{
    const olo_result_source *q = &m->result->sources[m->result->q];
    const size_t first[2] = {row, 0}, size[2] = {1, q->width}, size_x[2] = {1, 3 * m->nodes};
    const olo_status status = olo_hdf5_read(m->result->file, q->path, first, size, m->q, error);
    return status != OLO_OK
               ? status
               : olo_hdf5_read(m->result->file, "/frames/position", first, size_x, m->x, error);
}

static void read_frame(motion *m, size_t frame)
{
    for (size_t i = 0; i < m->shown; i++) {
        const size_t node = i * m->stride, at = frame * m->shown + i;
        for (int k = 0; k < 3; k++) {
            const double x = m->x[3 * node + (size_t)k];
            m->positions[3 * at + (size_t)k] = (float)(isfinite(x) ? x : 0.0);
        }
        double w[4] = {1, 0, 0, 0};
        const int directors = olo_node_type_find(m->kinds[node])->directors;
        if (directors >= 0)
            rotation_quaternion(m->q + (size_t)m->offsets[node] + directors, w);
        quantise_turn(w, frame > 0 ? m->turns + 4 * (at - m->shown) : NULL, m->turns + 4 * at);
    }
}

static olo_status read_frames(motion *m, olo_error *error)
{
    const size_t size = m->frames * m->shown;
    m->q = olo_pool_alloc(&m->pool, m->result->sources[m->result->q].width, sizeof(double));
    m->x = olo_pool_alloc(&m->pool, 3 * m->nodes, sizeof(double));
    m->positions = olo_pool_alloc(&m->pool, 3 * size, sizeof *m->positions);
    m->turns = olo_pool_alloc(&m->pool, 4 * size, sizeof *m->turns);
    m->time = olo_pool_alloc(&m->pool, m->frames, sizeof *m->time);
    if (m->pool.failed)
        return no_memory(m, error);
    olo_status status = olo_report_contacts_begin(&m->contacts, m->result, m->frames, error);
    for (size_t frame = 0; status == OLO_OK && frame < m->frames; frame++) {
        const size_t row = row_of(m, frame), first[2] = {row, 0}, one[2] = {1, 1};
        status = olo_hdf5_read(m->result->file, "/frames/time", first, one, m->time + frame, error);
        if (status == OLO_OK)
            status = read_row(m, row, error);
        if (status == OLO_OK) {
            read_frame(m, frame);
            status = olo_report_stress_read(&m->stress, frame, row, error);
        }
        if (status == OLO_OK)
            status = olo_report_contacts_read(&m->contacts, frame, row, error);
    }
    return status;
}

/* ---- the frames ------------------------------------------------------------------------------ */

/* Writes the box of every node and its positions relative to it. */
static bool write_positions(const motion *m, olo_json *json)
{
    float *box = olo_alloc(6 * m->shown, sizeof *box); // lower, then extent
    uint16_t *steps = olo_alloc(3 * m->frames * m->shown, sizeof *steps);
    const bool enough = box != NULL && steps != NULL;
    for (size_t i = 0; enough && i < 3 * m->shown; i++) {
        float lower = INFINITY, upper = -INFINITY;
        for (size_t frame = 0; frame < m->frames; frame++) {
            const float x = m->positions[3 * frame * m->shown + i];
            lower = fminf(lower, x);
            upper = fmaxf(upper, x);
        }
        box[i / 3 * 6 + i % 3] = lower;
        box[i / 3 * 6 + 3 + i % 3] = upper - lower;
        for (size_t frame = 0; frame < m->frames; frame++) {
            const size_t at = 3 * frame * m->shown + i;
            const float part = upper > lower ? (m->positions[at] - lower) / (upper - lower) : 0.0F;
            steps[at] = (uint16_t)lroundf(65535.0F * part);
        }
    }
    if (enough) {
        olo_json_bytes(json, "box", box, 6 * m->shown * sizeof *box);
        olo_json_bytes(json, "position", steps, 3 * m->frames * m->shown * sizeof *steps);
    }
    olo_free(box);
    olo_free(steps);
    return enough;
}

static olo_status write_frames(const motion *m, olo_json *json, olo_error *error)
{
    olo_json_open(json, "nodes", '[');
    for (size_t i = 0; i < m->shown; i++)
        olo_json_text(json, NULL, m->names[i * m->stride]);
    olo_json_close(json);
    olo_json_open(json, "frames", '{');
    olo_json_integer(json, "count", (long)m->frames);
    olo_json_bytes(json, "time", m->time, m->frames * sizeof *m->time);
    const bool enough = write_positions(m, json) && olo_report_stress_write(&m->stress, json);
    olo_report_contacts_write(&m->contacts, json);
    olo_json_bytes(json, "turn", m->turns, 4 * m->frames * m->shown * sizeof *m->turns);
    olo_json_close(json);
    return enough ? OLO_OK : no_memory(m, error);
}

static void describe_thinning(const motion *m, olo_text *thinned)
{
    double steps = 0.0, stride = 1.0;
    (void)olo_result_attribute_number(m->result, "/run", "steps", &steps, NULL);
    (void)olo_result_attribute_number(m->result, "/run", "stride", &stride, NULL);
    if (stride > 1.0) {
        olo_text_format(thinned,
                        "The run recorded %zu states, every %.0f-th of %.0f steps; of the ledger "
                        "also the extremes between them.\n",
                        m->result->rows, stride, steps);
    }
    if (m->step > 1) {
        olo_text_format(thinned, "The animation has %zu of %zu recorded states.\n", m->frames,
                        m->result->rows);
    }
    if (m->stride > 1) {
        olo_text_format(thinned, "The animation shows every %zu-th body or point, %zu of %zu.\n",
                        m->stride, m->shown, m->nodes);
    }
}

/* ---- the scene ------------------------------------------------------------------------------- */

/* The affine map of a unit primitive into the frame of its node, 3 numbers of translation and 9 of
 * the matrix, column by column: x -> position + R diag(size) x, or the edges of a tetrahedron.
 * Links retain their radius. */
static void map_of(const olo_drawable *d, float position[3], float matrix[9])
{
    const double *R = d->rotation, *size = d->size;
    double shift[3], column[3];
    vec3_copy(d->position, shift);
    const bool vertices = strcmp(d->primitive, "tetrahedron") == 0;
    if (vertices) {
        mat3_times(R, size, column);
        vec3_add(1.0, column, shift);
    }
    for (int k = 0; k < 3; k++) {
        double edge[3] = {0, 0, 0};
        edge[k] = size[k];
        if (vertices)
            vec3_subtract(size + 3 * (k + 1), size, edge);
        mat3_times(R, edge, column);
        for (int j = 0; j < 3; j++)
            matrix[3 * k + j] = (float)column[j];
        position[k] = (float)shift[k];
    }
}

/* Writes one of the texts of every drawable that is shown. */
static void write_words(const olo_drawable *const *shown, size_t count, const char *key,
                        const char *(*word)(const olo_drawable *d), olo_json *json)
{
    olo_json_open(json, key, '[');
    for (size_t i = 0; i < count; i++)
        olo_json_text(json, NULL, word(shown[i]));
    olo_json_close(json);
}

/* For the sweeps, in their order: the first two axes of the section at the other end, scaled by its
 * half-widths. */
static void write_ends(const olo_drawable *const *shown, size_t count, float *floats,
                       olo_json *json)
{
    size_t numbers = 0;
    for (size_t i = 0; i < count; i++) {
        for (int k = 0; olo_drawable_is_sweep(shown[i]) && k < 6; k++) {
            const double *size = shown[i]->size;
            floats[numbers++] = (float)(size[k / 3] * size[3 + 3 * (k % 3) + k / 3]);
        }
    }
    olo_json_bytes(json, "sweep_end", floats, numbers * sizeof *floats);
}

/* Writes the colours and opacities that the model gives; nothing where it gives none. */
static void write_colors(const olo_drawable *const *shown, size_t count, olo_json *json)
{
    bool given = false;
    for (size_t i = 0; i < count; i++)
        given = given || shown[i]->colored || shown[i]->opacity > 0;
    if (!given)
        return;
    olo_json_open(json, "color", '[');
    for (size_t i = 0; i < count; i++) {
        char text[8] = "";
        const double *c = shown[i]->color;
        if (shown[i]->colored)
            snprintf(text, sizeof text, "#%02x%02x%02x", (unsigned)lround(255 * c[0]) & 255u,
                     (unsigned)lround(255 * c[1]) & 255u, (unsigned)lround(255 * c[2]) & 255u);
        olo_json_text(json, NULL, text);
    }
    olo_json_close(json);
    olo_json_open(json, "opacity", '[');
    for (size_t i = 0; i < count; i++)
        olo_json_number(json, NULL, shown[i]->opacity);
    olo_json_close(json);
}

/* Writes the drawables that are shown. */
static void write_drawables(const motion *m, float *floats, int32_t *nodes, olo_json *json)
{
    const olo_drawable *const *shown = m->drawn;
    const size_t count = m->drawn_count;
    for (size_t i = 0; i < count; i++) {
        float *f = floats + 15 * i;
        map_of(shown[i], f, f + 6);
        for (int k = 0; k < 3; k++)
            f[3 + k] = (float)shown[i]->end[k];
        nodes[2 * i] = shown_node(m, shown[i]->node[0]);
        nodes[2 * i + 1] = shown_node(m, shown[i]->node[1]);
    }
    olo_json_integer(json, "count", (long)count);
    olo_json_bytes(json, "node", nodes, 2 * count * sizeof *nodes);
    olo_json_bytes(json, "map", floats, 15 * count * sizeof *floats);
    write_ends(shown, count, floats, json);
    write_words(shown, count, "name", olo_drawable_name, json);
    write_words(shown, count, "role", olo_drawable_role, json);
    write_words(shown, count, "primitive", olo_drawable_primitive, json);
    write_colors(shown, count, json);
}

static olo_status write_scene(motion *m, olo_json *json, olo_error *error)
{
    float *floats = olo_alloc(15 * m->drawn_count, sizeof *floats);
    int32_t *nodes = olo_alloc(2 * m->drawn_count, sizeof *nodes);
    double up[3] = {0, 0, 0}, plane[3] = {0, 0, 0};
    const size_t first[2] = {0, 0}, three[2] = {3, 1};
    olo_status status = floats != NULL && nodes != NULL ? OLO_OK : no_memory(m, error);
    if (status == OLO_OK && m->drawables > 0)
        status = olo_hdf5_read(m->result->file, "/scene/gravity", first, three, up, error);
    if (status == OLO_OK && m->drawables > 0)
        status = olo_hdf5_read(m->result->file, "/scene/plane", first, three, plane, error);
    if (status == OLO_OK) {
        olo_json_open(json, "scene", '{');
        olo_json_numbers(json, "gravity", up, 3);
        olo_json_numbers(json, "plane", plane, 3);
        write_drawables(m, floats, nodes, json);
        olo_json_close(json);
    }
    olo_free(floats);
    olo_free(nodes);
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

olo_status olo_report_frames_json(olo_result *result, size_t bytes, olo_json *json,
                                  olo_text *thinned, olo_error *error)
{
    motion m = {.result = result};
    olo_status status = read_nodes(&m, error);
    if (status == OLO_OK)
        status = olo_result_scene(result, &m.list, &m.drawables, error);
    if (status == OLO_OK && m.nodes > 0) {
        choose(&m, bytes);
        status = choose_drawables(&m, error);
        if (status == OLO_OK)
            status = read_frames(&m, error);
        if (status == OLO_OK)
            status = write_frames(&m, json, error);
        if (status == OLO_OK)
            status = write_scene(&m, json, error);
        describe_thinning(&m, thinned);
    }
    olo_report_stress_free(&m.stress);
    olo_report_contacts_free(&m.contacts);
    olo_free(m.list);
    olo_pool_free(&m.pool);
    olo_hdf5_texts_free(m.names);
    olo_hdf5_texts_free(m.kinds);
    return status;
}
