/* The verbs with which elements add themselves to the system under construction.
 *
 * All return a status; a failure (out of memory, or a text with its place in the model) is kept in
 * the builder, so that an element may pass it up as it is.
 */
#ifndef OLO_ELEMENTS_BUILD_H
#define OLO_ELEMENTS_BUILD_H

#include "elements/builder.h"
#include "elements/shape.h"
#include "system/form_builder.h"
#include "system/system.h"

/* The system so far: nodes, initial data, gravity and plane may be read. */
olo_system *olo_build_system(olo_builder *builder);

olo_status olo_build_out_of_memory(olo_builder *builder);

/* Whether a system is built again with other numbers: pieces that have none of the model may be
 * left as they are. */
bool olo_build_again(const olo_builder *builder);

/* A node with its initial coordinates and velocities, and its internal constraints; `base` is the
 * point it counts from, or -1. */
olo_status olo_build_node(olo_builder *builder, const char *name, const olo_node_type *type,
                          int base, const double *q, const double *v, bool velocity_given,
                          int *node);

/* M couples the 3-vectors at q[i] and q[j] by mass I; the transpose is implied. */
olo_status olo_build_mass(olo_builder *builder, int i, int j, double mass);

/* A term f(e_1 ... e_k) with its law's coefficients. */
olo_status olo_build_term(olo_builder *builder, const char *owner, olo_term_role role,
                          const olo_law *law, const void *context, const double *coefficients,
                          int forms, const olo_form_builder *form);

/* A term of the six strains of a beam at a quadrature point. */
olo_status olo_build_strain_term(olo_builder *builder, const char *owner, olo_term_role role,
                                 const olo_law *law, const void *context,
                                 const double *coefficients, const olo_strain *strain);
/* Tells what nodes and terms a beam consists of; its arrays must live in the system's pool. */
olo_status olo_build_beam(olo_builder *builder, const olo_beam_line *beam);

/* A mass with its centre and its inertia about it, as moments; the check that no mass lies on a
 * negative square; and the moments in the mass matrix of the frame at q. */
olo_status olo_build_mass_moments(olo_builder *builder, double mass, const double center[3],
                                  const double inertia[9], olo_moments *moments);
olo_status olo_build_check_moments(olo_builder *builder, const char *key,
                                   const olo_moments *moments);
olo_status olo_build_moments(olo_builder *builder, int q, const olo_moments *moments);

/* A named constraint group, then its rows. `carried`: every joint of its node satisfies it. */
olo_status olo_build_group(olo_builder *builder, const char *name, bool internal, bool carried);
olo_status olo_build_constraint(olo_builder *builder, const olo_form_builder *form);
olo_status olo_build_row(olo_builder *builder, const olo_constraint *row);
/* Built again: the next rows have no numbers of the model and stay as they are. */
olo_status olo_build_constant_rows(olo_builder *builder, int count);
/* The row that follows moves a joint coordinate. */
olo_status olo_build_drive(olo_builder *builder, int coordinate);

/* How two bodies, or a body and the ground, move against each other at the start
 * (initial_velocities.h). */
typedef struct olo_relative_velocity olo_relative_velocity;
olo_status olo_build_relative_velocity(olo_builder *builder, const olo_relative_velocity *relative);

/* The joint reading of the group that was built last. */
olo_status olo_build_joint(olo_builder *builder, const olo_articulation *joint);

/* A joint coordinate of one form, or the angle atan2(form[1], form[0]) of two; and a term of a
 * coordinate, with a law that fits its number of forms. */
olo_status olo_build_joint_coordinate(olo_builder *builder, const char *name, int forms,
                                      const olo_form_builder *form);
olo_status olo_build_coordinate_term(olo_builder *builder, const char *owner, olo_term_role role,
                                     const olo_law *law, const double *coefficients,
                                     int coordinate);

olo_status olo_build_action(olo_builder *builder, const olo_action *action, const int *index);
olo_status olo_build_body_point(olo_builder *builder, int node, const char *name,
                                const double at[3]);
olo_status olo_build_output(olo_builder *builder, const char *name, const olo_position *position);
/* The reaction of a constraint group, along the axes of a node or of space (-1). */
olo_status olo_build_reaction(olo_builder *builder, const char *name, int group, int axes);

/* A vector of the exact solution; its curves are owned by the system. */
olo_status olo_build_exact(olo_builder *builder, const olo_exact_vector *vector);

/* Gives a context to the system, which frees it; frees it at once when that fails. */
olo_status olo_build_own(olo_builder *builder, void *context, void (*release)(void *context));

/* A place by name; on failure the location of `key` is in the text. */
olo_status olo_build_place(olo_builder *builder, const char *key, const olo_point_on_body *place,
                           olo_position *position, int *node);

/* A signal as a function of time, owned by whoever gets it. */
olo_status olo_build_signal(olo_builder *builder, const char *key, const olo_signal *signal,
                            olo_time_function *time);

/* An expression of `variable` and the parameters, e(variable): compiled, owned by the caller, with
 * the array of all variables, of which the first is free. */
typedef struct olo_curve olo_curve;
olo_status olo_build_curve(olo_builder *builder, const char *key, const char *variable,
                           const char *text, olo_curve **curve);
/* The same of several variables, which come before the parameters. */
olo_status olo_build_function(olo_builder *builder, const char *key, int free_count,
                              const char *const *variables, const char *text, olo_curve **curve);
double olo_curve_value(const olo_curve *curve, const double *x);
/* Derivatives of order 0..order along a direction of the free variables. */
void olo_curve_along(const olo_curve *curve, const double *x, const double *dx, int order,
                     double *derivatives);
/* Derivatives of order 0..order. */
void olo_curve_derivatives(const olo_curve *curve, double x, int order, double *derivatives);
void olo_curve_free(void *curve);

/* -m g.x of a mass at a position, when there is gravity. */
olo_status olo_build_gravity(olo_builder *builder, const char *owner, double mass,
                             const olo_position *position);

/* In a planar model: the rows that keep a node in its plane, as a group that every joint satisfies.
 */
olo_status olo_build_plane(olo_builder *builder, const char *name, int node);

#endif
