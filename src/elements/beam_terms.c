/* Terms of beams and rods at one point of the line (see the header). The energy is
 *
 *     w W(Gamma - Gamma^0, K - K^0)    of finite elements, with the weight w of the point,
 *     w W(v - v^0, u - u^0)            of discrete rods, u = K/c (system/law_rod.c).
 *
 * The reference strains are those of the initial configuration, or of the shape without stress:
 * Gamma^0 = (0, 0, 1) and the given curvature. */
#include "elements/beam_terms.h"

#include <math.h>
#include <string.h>

#include "elements/beam_energy.h"

enum { STRETCH = 3, COS = OLO_STRAINS, PAIRS = 21 };

olo_status olo_beam_material_create(olo_builder *builder, const olo_beam *beam,
                                    olo_beam_material *material)
{
    const bool rod = strcmp(beam->discretisation, "elements") != 0;
    const bool sine = beam->curvature && strcmp(beam->curvature, "sine") == 0;
    *material =
        (olo_beam_material){.builder = builder,
                            .beam = beam,
                            .tangent = rod && !sine,
                            .rest = beam->rest_length > 0 || !isnan(beam->rest_curvature[0])};
    if (!rod && beam->curvature && !sine)
        return olo_builder_fail(builder, "curvature",
                                "finite elements have the curvature 'sine': for 'tangent' choose "
                                "discretisation 'vertices' or 'edges'");
    olo_status status = olo_section_measure(builder, beam, &material->section);
    if (status == OLO_OK && beam->energy)
        status = olo_beam_energy_create(builder, beam->energy, &material->energy);
    if (status == OLO_OK && material->energy)
        olo_beam_energy_stiffness(material->energy, 0.0, material->section.stiffness);
    if (status == OLO_OK && beam->taper)
        status = olo_build_curve(builder, "taper", "s", beam->taper, &material->taper);
    if (status == OLO_OK && material->taper)
        status = olo_build_own(builder, material->taper, olo_curve_free);
    if (status == OLO_OK && material->taper && material->energy)
        return olo_builder_fail(builder, "taper", "an energy may depend on s itself");
    return status;
}

double olo_beam_taper(const olo_beam_material *x, double station)
{
    return x->taper ? olo_curve_value(x->taper, &station) : 1.0;
}

/* Checks the material at the point where terms are added. */
static olo_status check_point(const olo_beam_material *x)
{
    const double size = olo_beam_taper(x, x->station);
    if (!(size > 0) || !isfinite(size))
        return olo_builder_fail(x->builder, "taper", "must be positive, got %g at s = %g", size,
                                x->station);
    return x->energy ? olo_beam_energy_check(x->builder, x->energy, x->station) : OLO_OK;
}

void olo_beam_set_reference(const olo_beam_material *x, olo_strain *strain, double u0[3])
{
    const olo_system *s = olo_build_system(x->builder);
    double e[OLO_ROD_INVARIANTS];
    strain->count = x->tangent ? OLO_ROD_INVARIANTS : OLO_STRAINS;
    memset(strain->reference, 0, sizeof strain->reference);
    strain->reference[COS] = 0.5;
    olo_strain_values(strain, s->q0, NULL, e);
    if (!x->tangent)
        e[COS] = 1;
    for (int k = 0; k < 3; k++) {
        const double given = isnan(x->beam->rest_curvature[0]) ? 0 : x->beam->rest_curvature[k];
        u0[k] = x->rest ? given : e[STRETCH + k] / e[COS];
        strain->reference[k] = x->rest ? (k == 2) : e[k];
        strain->reference[STRETCH + k] = x->tangent ? 0 : u0[k];
    }
}

/* The stiffness of the strains on which the term depends, at the point, times its weight. */
static void weigh(const olo_beam_material *x, olo_beam_strains which, double weight, double C[36])
{
    const double size = olo_beam_taper(x, x->station),
                 power[3] = {size * size, size * size * size, size * size * size * size};
    double stiffness[36];
    memcpy(stiffness, x->section.stiffness, sizeof stiffness);
    if (x->energy)
        olo_beam_energy_stiffness(x->energy, x->station, stiffness);
    for (int i = 0; i < 36; i++) {
        const bool stretch = i / 6 < STRETCH && i % 6 < STRETCH,
                   bending = i / 6 >= STRETCH && i % 6 >= STRETCH;
        const bool used = which == OLO_BEAM_ALL || (which == OLO_BEAM_STRETCH ? stretch : bending);
        C[i] = used ? weight * power[(i / 6 >= STRETCH) + (i % 6 >= STRETCH)] * stiffness[i] : 0;
    }
}

/* The upper triangle of a 6x6 matrix. */
static void triangle(const double *C, double *out)
{
    for (int i = 0, k = 0; i < 6; i++)
        for (int j = i; j < 6; j++)
            out[k++] = C[6 * i + j];
}

/* A law of six strains, or the same law of the strains of a rod. */
static const olo_law *law_of(const olo_beam_material *x, const olo_law *law)
{
    static const olo_law *const rods[] = {&olo_law_rod_elastic, &olo_law_rod_elastic_coupled,
                                          &olo_law_rod_strain_rate, &olo_law_rod_general};
    for (size_t i = 0; x->tangent && i < sizeof rods / sizeof *rods; i++)
        if (rods[i]->strain == law)
            return rods[i];
    return law;
}

static olo_status add(const olo_beam_material *x, olo_term_role role, const olo_law *law,
                      const void *context, double *c, const double u0[3], const olo_strain *strain)
{
    memcpy(c + law->coefficients, u0, 3 * sizeof *c); /* used by rods */
    return olo_build_strain_term(x->builder, x->beam->name, role, law_of(x, law), context, c,
                                 strain);
}

olo_status olo_beam_add_elastic(const olo_beam_material *x, olo_beam_strains which,
                                olo_strain *strain)
{
    double C[36], c[OLO_LAW_COEFFICIENTS_MAX], u0[3];
    olo_status status = check_point(x);
    if (status != OLO_OK)
        return status;
    olo_beam_set_reference(x, strain, u0);
    if (x->energy) {
        const int first = which == OLO_BEAM_BENDING ? STRETCH : 0,
                  last = which == OLO_BEAM_STRETCH ? STRETCH - 1 : OLO_STRAINS - 1;
        const olo_general_law *law =
            olo_beam_energy_law(x->builder, x->energy, x->station, first, last, strain->weight);
        return law ? add(x, OLO_ROLE_STRAIN, &olo_law_general, law, c, u0, strain)
                   : olo_build_out_of_memory(x->builder);
    }
    weigh(x, which, strain->weight, C);
    if (x->section.coupled)
        triangle(C, c);
    for (int k = 0; k < OLO_STRAINS && !x->section.coupled; k++)
        c[k] = C[7 * k];
    return add(x, OLO_ROLE_STRAIN, x->section.coupled ? &olo_law_elastic_coupled : &olo_law_elastic,
               NULL, c, u0, strain);
}

olo_status olo_beam_add_damping(const olo_beam_material *x, olo_beam_strains which,
                                olo_strain *strain)
{
    double C[36], c[OLO_LAW_COEFFICIENTS_MAX] = {x->beam->damping, x->beam->dissipation}, u0[3];
    olo_beam_set_reference(x, strain, u0);
    weigh(x, which, strain->weight, C);
    triangle(C, c + 2);
    return add(x, OLO_ROLE_DISSIPATION, &olo_law_strain_rate, NULL, c, u0, strain);
}
