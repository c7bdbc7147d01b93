/* A beam or rod under construction: its line, its material and its nodes. Finite elements and rods
 * with frames at vertices are built in beam.c, rods with directors at edges in beam_edges.c. */
#ifndef OLO_ELEMENTS_BEAM_ASSEMBLY_H
#define OLO_ELEMENTS_BEAM_ASSEMBLY_H

#include "elements/beam_line.h"
#include "elements/beam_terms.h"

typedef struct olo_beam_assembly {
    olo_builder *builder;
    const olo_beam *beam;
    olo_line line;
    olo_beam_material material;
    int points;       /* quadrature points per element */
    int *node;        /* [nodes] indices in the system; stored in its pool, like the next three */
    int *edge;        /* [elements] nodes of the directors at edges, or NULL */
    double *lengths;  /* [nodes] integrals of N_a */
    double *stations; /* [elements points] arc lengths of the quadrature points */
    const double **turn; /* [elements element_nodes] rotations at corners, or NULL */
    double *band;  /* [3 nodes][3] int a^p N_a N_b with b = a, a + 1, a + 2, of elements without
                      corners; a the size of the section, p = 2, 3, 4 */
    double *share; /* [nodes][2] int a^2 N_a and int a^3 N_a: mass and first moments of a node */
} olo_beam_assembly;

/* Builds an olo_beam. */
olo_status olo_beam_build(olo_builder *builder, const void *element);

olo_status olo_beam_allocate(olo_beam_assembly *x);

/* Adds all nodes of the line, or uses the frames of others at its ends. With directors at edges the
 * inner nodes are points, and the directors of each edge are a node. */
olo_status olo_beam_add_nodes(olo_beam_assembly *x);

/* Finds the rotation from the directors of node a of element e to those of the element at this
 * node; NULL if they are equal. */
olo_status olo_beam_find_turn(olo_beam_assembly *x, int e, int a);

/* Coefficient of the 3-vector I of a node in phi, d1 or d2 (s = 0, 1, 2) of the section. */
double olo_beam_coefficient_in_node(const double *turn, int s, int I);

/* Radius or half-widths along d1 and d2, for drawing. */
void olo_beam_half_widths(const olo_beam_assembly *x, double h[2]);

/* A rod with directors at edges: its terms, mass, weight and drawing, after its nodes. */
olo_status olo_beam_add_edges(olo_beam_assembly *x, olo_beam_line *line);

static inline int olo_beam_first_node(const olo_beam_assembly *x, int e)
{
    return e * (x->line.element_nodes - 1);
}

/* The directors of the section at node a of element e. */
static inline const double *olo_beam_directors(const olo_beam_assembly *x, int e, int a)
{
    return x->line.directors[e * x->line.element_nodes + a];
}

#endif
