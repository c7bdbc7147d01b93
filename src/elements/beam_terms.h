/* The energy and the dissipation of a beam or rod at one point of its line: section, law and
 * reference strains. */
#ifndef OLO_ELEMENTS_BEAM_TERMS_H
#define OLO_ELEMENTS_BEAM_TERMS_H

#include "elements/beam_section.h"
#include "elements/build.h"

typedef struct olo_beam_material {
    olo_builder *builder;
    const olo_beam *beam;
    olo_section_numbers section;
    olo_curve *energy; /* NULL: quadratic */
    olo_curve *taper;  /* size of the section over s; NULL: 1 */
    double station;    /* arc length of the point at which terms are added */
    bool tangent;      /* the curvature is 2/h tan(phi/2), not sin(phi)/h */
    bool rest;         /* the shape without stress is given; else it is the initial one */
} olo_beam_material;

/* Which strains a term depends on: all, or those of edges (shear, elongation) or of vertices
 * (curvatures, torsion) of a rod with directors at edges. */
typedef enum olo_beam_strains { OLO_BEAM_ALL, OLO_BEAM_STRETCH, OLO_BEAM_BENDING } olo_beam_strains;

/* Checks section, energy and curvature; fails with the key of the beam that is wrong. */
olo_status olo_beam_material_create(olo_builder *builder, const olo_beam *beam,
                                    olo_beam_material *material);

/* Size of the section at an arc length relative to the given one. */
double olo_beam_taper(const olo_beam_material *material, double station);

/* Sets the reference strains of a strain whose nodes and shape functions are given; those of u =
 * K/c are coefficients of the law, u0. */
void olo_beam_set_reference(const olo_beam_material *material, olo_strain *strain, double u0[3]);

/* Adds the elastic term, or the dissipative one, of a strain whose nodes, shape functions and
 * weight are given; sets the reference strains. */
olo_status olo_beam_add_elastic(const olo_beam_material *material, olo_beam_strains which,
                                olo_strain *strain);
olo_status olo_beam_add_damping(const olo_beam_material *material, olo_beam_strains which,
                                olo_strain *strain);

#endif
