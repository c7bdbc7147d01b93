/* The functions with which elements add themselves to the system under construction.
 *
 * All of them return a status. A failure (out of memory, or a message with its location in the
 * model) is stored in the builder, so that an element can return it unchanged. */
#ifndef OLO_ELEMENTS_BUILD_H
#define OLO_ELEMENTS_BUILD_H

#include "elements/builder.h"
#include "elements/shape.h"
#include "system/form_builder.h"
#include "system/system.h"

/* The system under construction. Nodes, initial state, gravity and plane may be read. */
olo_system *olo_build_system(olo_builder *builder);

olo_status olo_build_out_of_memory(olo_builder *builder);

/* Data of the whole model. */
const olo_builder_setup *olo_build_setup(const olo_builder *builder);

/* The system whose structure is filled with other numbers, or NULL. Pieces with the same numbers
 * may then be skipped. */
const olo_system *olo_build_pattern(const olo_builder *builder);

/* Adds a node with its initial coordinates and velocities, and its internal constraints. `base` is
 * the node to which its coordinates are relative, or -1. */
olo_status olo_build_node(olo_builder *builder, const char *name, const olo_node_type *type,
                          int base, const double *q, const double *v, bool velocity_given,
                          int *node);

/* Adds mass I to the block of M between the 3-vectors at q[i] and q[j]; the transpose is implied. A
 * zero on the diagonal is an entry, too, so that a plate may become a solid without another
 * structure. */
olo_status olo_build_mass(olo_builder *builder, int i, int j, double mass);

/* The entries of M between the scalars at q[i] and q[j], which olo_build_mass has set to their
 * initial value, are f(q). The term lives as long as the system. */
olo_status olo_build_mass_function(olo_builder *builder, int i, int j, const olo_term *f);

/* Adds a term f(e_1 ... e_k) with the coefficients of its law. */
olo_status olo_build_term(olo_builder *builder, const char *owner, olo_term_role role,
                          const olo_law *law, const void *context, const double *coefficients,
                          int forms, const olo_form_builder *form);

/* Adds a term of the six strains of a beam at a quadrature point. */
olo_status olo_build_strain_term(olo_builder *builder, const char *owner, olo_term_role role,
                                 const olo_law *law, const void *context,
                                 const double *coefficients, const olo_strain *strain);
/* Records the nodes and terms of a beam; its arrays must live in the pool of the system. */
olo_status olo_build_beam(olo_builder *builder, const olo_beam_line *beam);

/* Three steps to the mass matrix of a frame: add a mass with its centre and its inertia about the
 * centre to the moments, check that the Euler tensor has no negative eigenvalue, and add the
 * moments to the mass matrix of the frame at q. */
olo_status olo_build_mass_moments(olo_builder *builder, double mass, const double center[3],
                                  const double inertia[9], olo_moments *moments);
olo_status olo_build_check_moments(olo_builder *builder, const char *key,
                                   const olo_moments *moments);
olo_status olo_build_moments(olo_builder *builder, int q, const olo_moments *moments);

/* Begins a named constraint group; then its rows are added. `carried`: every joint of its node
 * satisfies the group. */
olo_status olo_build_group(olo_builder *builder, const char *name, bool internal, bool carried);
olo_status olo_build_constraint(olo_builder *builder, const olo_form_builder *form);
olo_status olo_build_row(olo_builder *builder, const olo_constraint *row);
/* Skips the next rows, which have the numbers of the pattern. */
olo_status olo_build_same_rows(olo_builder *builder, int count);
/* Announces that the next row prescribes the motion of a joint coordinate. */
olo_status olo_build_drive(olo_builder *builder, int coordinate);

/* Adds the initial relative velocity of two bodies, or of a body and the ground
 * (initial_velocities.h). */
typedef struct olo_relative_velocity olo_relative_velocity;
olo_status olo_build_relative_velocity(olo_builder *builder, const olo_relative_velocity *relative);

/* Adds the joint that satisfies the constraint group that was built last. */
olo_status olo_build_joint(olo_builder *builder, const olo_articulation *joint);

/* Adds a joint coordinate: one form, or the angle atan2(form[1], form[0]) of two forms; form NULL:
 * it has the numbers of the pattern. `axis` and `sense` as in system/coordinate.h. Then a term of a
 * joint coordinate, whose law has the same number of forms. */
olo_status olo_build_joint_coordinate(olo_builder *builder, const char *name, int axis,
                                      double sense, int forms, const olo_form_builder *form);
olo_status olo_build_coordinate_term(olo_builder *builder, const char *owner, olo_term_role role,
                                     const olo_law *law, const double *coefficients,
                                     int coordinate);

/* Adds a measure f(form) on which forces depend; it belongs to the system. */
olo_status olo_build_measure(olo_builder *builder, const char *owner, const olo_law *law,
                             const olo_form_builder *form, const olo_term **measure);

olo_status olo_build_action(olo_builder *builder, const olo_action *action, const int *index);
olo_status olo_build_body_point(olo_builder *builder, int node, const char *name,
                                const double at[3]);
olo_status olo_build_output(olo_builder *builder, const char *name, const olo_position *position);
/* Adds the reaction of a constraint group to the outputs, along the axes of a node or of space
 * (-1). */
olo_status olo_build_reaction(olo_builder *builder, const char *name, int group, int axes);

/* Adds a contact: its name, law, coefficients and kind of gap, and its geometry with slots. A
 * contact without geometry (NULL) has complete rows. */
olo_status olo_build_contact(olo_builder *builder, const olo_contact_point *contact,
                             const olo_contact_geometry *geometry, int sliding_count);

/* Adds an event; its lists live in the pool of the system, its condition is owned by the system. */
olo_status olo_build_event(olo_builder *builder, const olo_system_event *event);

/* Adds a vector of the exact solution; its curves are owned by the system. */
olo_status olo_build_exact(olo_builder *builder, const olo_exact_vector *vector);

/* Transfers the ownership of a context to the system; on failure the context is freed at once. */
olo_status olo_build_own(olo_builder *builder, void *context, void (*release)(void *context));

/* Finds the node and the position of a point on a body; on failure the location of `key` is in the
 * message. */
olo_status olo_build_resolve_point(olo_builder *builder, const char *key,
                                   const olo_point_on_body *point, olo_position *position,
                                   int *node);

/* Turns a signal into a function of time, owned by the caller. */
olo_status olo_build_signal(olo_builder *builder, const char *key, const olo_signal *signal,
                            olo_time_function *time);

/* Compiles an expression of `variable` and the parameters. The curve is owned by the caller; it
 * stores the values of the parameters. */
typedef struct olo_curve olo_curve;
olo_status olo_build_curve(olo_builder *builder, const char *key, const char *variable,
                           const char *text, olo_curve **curve);
/* The same for an expression of several free variables. */
olo_status olo_build_function(olo_builder *builder, const char *key, int free_count,
                              const char *const *variables, const char *text, olo_curve **curve);
/* Whether the expression contains free variable i. */
bool olo_curve_uses(const olo_curve *curve, int i);
/* Its degree as a polynomial of the free variables (base/expression.h). */
int olo_curve_degree(const olo_curve *curve);
double olo_curve_value(const olo_curve *curve, const double *x);
/* Derivatives with respect to the free variables: first[free], and unless NULL second[free^2]. */
void olo_curve_partials(const olo_curve *curve, const double *x, double *first, double *second);
/* The derivative along a direction of the parameters; false if the curve depends on none of them.
 */
bool olo_curve_by_parameters(const olo_curve *curve, const double *x, const double *direction,
                             double *by);
/* Derivatives of order 0..order along a direction of the free variables. */
void olo_curve_along(const olo_curve *curve, const double *x, const double *dx, int order,
                     double *derivatives);
/* Derivatives of order 0..order. */
void olo_curve_derivatives(const olo_curve *curve, double x, int order, double *derivatives);
void olo_curve_free(void *curve);

/* Adds the potential -m g.x of a mass at a position if the model has gravity. */
olo_status olo_build_gravity(olo_builder *builder, const char *owner, double mass,
                             const olo_position *position);

/* In a planar model: adds the rows that constrain a node to its plane, as a group that every joint
 * satisfies.
 */
olo_status olo_build_plane(olo_builder *builder, const char *name, int node);

#endif
