/* Beams and rods without shear or elongation: at every point where the energy is evaluated,
 *
 *     g_k = w (Gamma_k - Gamma_k^0) = 0,        k = 1, 2 (no shear), 3 (no elongation)
 *
 * with the weight w of the point. Gamma_k = d_k . phi' is a quadratic form of q. g_k is a
 * displacement, so that its multiplier is the stress resultant n_k. With directors at edges, all
 * three rows say that an edge is the vector h d3; with frames at vertices d3 is the mean of two
 * frames, whose length is cos(phi/2), and an edge is longer than h by terms of second order.
 *
 * The stiffness of these strains stays in the energy. It stores nothing, since the strains vanish,
 * but without it positions would have no stiffness before the rows are eliminated. */
#include "elements/beam_rows.h"

olo_status olo_beam_begin_rows(const olo_beam_material *x, olo_beam_line *line)
{
    const bool held[3] = {x->beam->unshearable, x->beam->unshearable, x->beam->inextensible};
    const double *C = x->section.stiffness;
    for (int k = 0; k < 3; k++) {
        if (held[k] && !(C[7 * k] > 0))
            return olo_builder_fail(x->builder, "stiffness",
                                    "a strain that vanishes by a constraint needs a positive "
                                    "stiffness, too; its size has no effect");
        if (held[k])
            line->row_strain[line->row_count++] = k;
    }
    line->first_row = olo_build_system(x->builder)->m;
    return olo_build_group(x->builder, x->beam->name, false, false);
}

/* phi' = sum_a N'_a phi^a */
static olo_position tangent_of(const olo_strain *strain)
{
    olo_position sum = {.count = 0};
    for (int a = 0; a < strain->nodes; a++)
        if (strain->position[a] >= 0) {
            const olo_position at = olo_position_slot(strain->position[a]);
            (void)olo_position_add(&sum, strain->dN[a], &at);
        }
    return sum;
}

/* d_k = sum_a N_a d_k^a, of the section */
static olo_position director_of(const olo_strain *strain, int k)
{
    olo_position sum = {.count = 0};
    for (int a = 0; a < strain->nodes; a++)
        for (int J = 0; J < 3 && strain->directors[a] >= 0; J++) {
            const olo_position at = olo_position_slot(strain->directors[a] + 3 * J);
            const double turn = strain->turn[a] ? strain->turn[a][3 * J + k] : J == k;
            (void)olo_position_add(&sum, strain->N[a] * turn, &at);
        }
    return sum;
}

olo_status olo_beam_add_rows(const olo_beam_material *x, olo_beam_strains which, olo_strain *strain)
{
    (void)which;
    const bool held[3] = {x->beam->unshearable, x->beam->unshearable, x->beam->inextensible};
    const olo_position tangent = tangent_of(strain);
    olo_status status = OLO_OK;
    double u0[3];
    olo_beam_set_reference(x, strain, u0);
    for (int k = 0; status == OLO_OK && k < 3; k++) {
        if (!held[k])
            continue;
        const olo_position director = director_of(strain, k);
        olo_form_builder row;
        olo_form_begin(&row);
        olo_form_add_dot(&row, strain->weight, &director, &tangent);
        olo_form_add_constant(&row, -strain->weight * strain->reference[k]);
        status = olo_build_constraint(x->builder, &row);
    }
    return status;
}
