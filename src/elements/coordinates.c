/* Coordinates of minimal models: scalars q with the kinetic energy 1/2 q'.M q', energies V(q) and
 * constraints g(q) = 0 as expressions of them.
 *
 * A mass matrix that depends on coordinates is one of functions (system/mass_function.h).
 *
 * Every scalar is a node, and a joint coordinate of its name: springs, dampers, relations, loads
 * and controls act along it as along that of a joint, and it is recorded. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/expression.h"
#include "base/memory.h"
#include "elements/scalar_function.h"

/* Bounds the memory of the mass matrix. */
enum { COORDINATES_MAX = 100 };

olo_coordinates olo_coordinates_default(void)
{
    return (olo_coordinates){.initialised = OLO_INITIALISED_COORDINATES};
}

static void defaults(void *element)
{
    *(olo_coordinates *)element = olo_coordinates_default();
}

/* ---- the scalars ------------------------------------------------------------------------------
 */

static olo_status check_name(olo_builder *builder, const char *name)
{
    const olo_builder_setup *setup = olo_build_setup(builder);
    if (!olo_expression_is_identifier(name) || olo_expression_is_reserved(name))
        return olo_builder_fail(builder, "names",
                                "'%s' cannot be used in expressions: take a word of letters, "
                                "digits and _ that is no function or constant",
                                name);
    for (int i = 0; i < setup->variable_count; i++)
        if (strcmp(setup->variable_names[i], name) == 0)
            return olo_builder_fail(builder, "names",
                                    "'%s' is a parameter of the model, too; rename one of them",
                                    name);
    if (!olo_build_pattern(builder) && olo_system_find_node(olo_build_system(builder), name) >= 0)
        return olo_builder_fail(builder, "names", "another part of the model is called '%s'", name);
    return OLO_OK;
}

static olo_status build_scalar(olo_builder *builder, const char *name, double value, double rate)
{
    olo_form_builder form;
    int node;
    olo_status status = check_name(builder, name);
    if (status == OLO_OK)
        status = olo_build_node(builder, name, &olo_node_scalar, -1, &value, &rate, true, &node);
    if (status != OLO_OK)
        return status;
    olo_form_begin(&form);
    olo_form_add_linear(&form, olo_build_system(builder)->nodes[node].q, 1);
    return olo_build_joint_coordinate(builder, name, 0, 0, 1, &form);
}

static olo_status check_counts(olo_builder *builder, const olo_coordinates *x)
{
    const int n = x->name_count;
    if (n < 1 || n > COORDINATES_MAX)
        return olo_builder_fail(builder, "names", "must be 1 to %d names, got %d", COORDINATES_MAX,
                                n);
    if (x->value_count != 0 && x->value_count != n)
        return olo_builder_fail(builder, "values", "%d values for %d coordinates", x->value_count,
                                n);
    if (x->rate_count != 0 && x->rate_count != n)
        return olo_builder_fail(builder, "rates", "%d rates for %d coordinates", x->rate_count, n);
    if (x->force_count != 0 && x->force_count != n)
        return olo_builder_fail(builder, "forces", "%d forces for %d coordinates", x->force_count,
                                n);
    if (x->mass_count != n && x->mass_count != n * n)
        return olo_builder_fail(builder, "mass",
                                "%d entries for %d coordinates: give the diagonal or all rows",
                                x->mass_count, n);
    return OLO_OK;
}

/* ---- the mass matrix --------------------------------------------------------------------------
 */

/* The matrix at the initial state; entries of the upper triangle that depend on coordinates are
 * added as functions. */
static olo_status read_mass(olo_builder *builder, const olo_coordinates *x, int q, double *M)
{
    const int n = x->name_count;
    olo_status status = OLO_OK;
    for (int k = 0; status == OLO_OK && k < x->mass_count; k++) {
        const int at = x->mass_count == n ? k * n + k : k, i = at / n, j = at % n;
        olo_scalar_function f;
        status = olo_build_entry(builder, "mass", x->mass[k], &f, &M[at]);
        if (status != OLO_OK || f.count == 0 || i > j)
            continue;
        const olo_term *term = olo_build_own_term(builder, &f);
        status = term ? olo_build_mass_function(builder, q + i, q + j, term)
                      : olo_build_out_of_memory(builder);
    }
    return status;
}

/* Refuses a matrix that is not symmetric and positive definite, by Cholesky's factorisation. */
static olo_status check_mass(olo_builder *builder, const olo_coordinates *x, const double *M,
                             double *L)
{
    const double rounding = 1e-12;
    const int n = x->name_count;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            const double size = sqrt(fabs(M[i * n + i] * M[j * n + j]));
            double sum = M[i * n + j];
            if (fabs(sum - M[j * n + i]) > rounding * size)
                return olo_builder_fail(
                    builder, "mass", "is not symmetric: '%s' in row '%s', '%s' in row '%s'",
                    x->mass[i * n + j], x->names[i], x->mass[j * n + i], x->names[j]);
            for (int k = 0; k < j; k++)
                sum -= L[i * n + k] * L[j * n + k];
            if (i == j && !(sum > rounding * size))
                return olo_builder_fail(builder, "mass",
                                        "is not positive definite (row of '%s'): some motion has "
                                        "no kinetic energy",
                                        x->names[i]);
            L[i * n + j] = i == j ? sqrt(sum) : sum / L[j * n + j];
        }
    return OLO_OK;
}

static olo_status build_mass(olo_builder *builder, const olo_coordinates *x, int q)
{
    const int n = x->name_count;
    double *M = olo_alloc(2 * (size_t)(n * n), sizeof *M);
    olo_status status = M ? read_mass(builder, x, q, M) : olo_build_out_of_memory(builder);
    if (status == OLO_OK)
        status = check_mass(builder, x, M, M + n * n);
    for (int i = 0; status == OLO_OK && i < n; i++)
        for (int j = i; status == OLO_OK && j < n; j++)
            status = olo_build_mass(builder, q + i, q + j, M[i * n + j]);
    olo_free(M);
    return status;
}

/* ---- energies and constraints -----------------------------------------------------------------
 */

static olo_status build_energies(olo_builder *builder, const olo_coordinates *x)
{
    olo_status status = OLO_OK;
    for (int i = 0; status == OLO_OK && i < x->energy_count; i++) {
        olo_scalar_function f;
        status = olo_build_expression(builder, "energy", x->energy[i], NULL, &f);
        if (status == OLO_OK)
            status = olo_build_function_term(builder, x->name, OLO_ROLE_POTENTIAL, &f);
    }
    return status;
}

static olo_status build_constraints(olo_builder *builder, const olo_coordinates *x)
{
    olo_status status =
        x->constraint_count > 0 ? olo_build_group(builder, x->name, false, false) : OLO_OK;
    for (int i = 0; status == OLO_OK && i < x->constraint_count; i++) {
        olo_scalar_function f;
        olo_constraint row;
        status = olo_build_expression(builder, "constraints", x->constraints[i], NULL, &f);
        if (status == OLO_OK)
            status = olo_build_function_row(builder, &f, &row);
        if (status == OLO_OK)
            status = olo_build_row(builder, &row);
    }
    return status;
}

/* ---- forces -----------------------------------------------------------------------------------
 */

/* The force along a coordinate; none if it is zero. */
static olo_status build_force(olo_builder *builder, const olo_coordinates *x, int i, int coordinate)
{
    if (x->forces[i] == 0)
        return OLO_OK;
    const olo_term *term = olo_build_system(builder)->joint_coordinates[coordinate].term;
    olo_action action = {.type = &olo_action_drive,
                         .owner = x->names[i],
                         .coordinate = term,
                         .size = term->size,
                         .vector = {x->forces[i], 0, 0}};
    olo_status status = olo_build_signal(builder, "time", x->signal, &action.time);
    if (status != OLO_OK)
        return status;
    status = olo_build_action(builder, &action, term->index);
    if (status != OLO_OK && action.time.free)
        action.time.free(action.time.context);
    return status;
}

static olo_status build(olo_builder *builder, const void *element)
{
    const olo_coordinates *x = element;
    const int q = olo_build_system(builder)->n,
              first = olo_build_system(builder)->joint_coordinate_count;
    olo_status status = check_counts(builder, x);
    for (int i = 0; status == OLO_OK && i < x->name_count; i++)
        status = build_scalar(builder, x->names[i], x->value_count > 0 ? x->values[i] : 0,
                              x->rate_count > 0 ? x->rates[i] : 0);
    if (status == OLO_OK)
        status = build_mass(builder, x, q);
    if (status == OLO_OK)
        status = build_energies(builder, x);
    if (status == OLO_OK)
        status = build_constraints(builder, x);
    for (int i = 0; status == OLO_OK && i < x->force_count; i++)
        status = build_force(builder, x, i, first + i);
    return status;
}

static const olo_field fields[] = {
    {.key = "name",
     .kind = OLO_FIELD_NAME,
     .offset = offsetof(olo_coordinates, name),
     .help = "name of the group of coordinates"},
    {.key = "names",
     .kind = OLO_FIELD_NAMES,
     .offset = offsetof(olo_coordinates, names),
     .count_offset = offsetof(olo_coordinates, name_count),
     .required = true,
     .help = "names of the coordinates, as expressions use them"},
    {.key = "values",
     .kind = OLO_FIELD_NUMBERS,
     .offset = offsetof(olo_coordinates, values),
     .count_offset = offsetof(olo_coordinates, value_count),
     .help = "their initial values; default 0"},
    {.key = "rates",
     .kind = OLO_FIELD_NUMBERS,
     .offset = offsetof(olo_coordinates, rates),
     .count_offset = offsetof(olo_coordinates, rate_count),
     .help = "their initial rates; default 0"},
    {.key = "mass",
     .kind = OLO_FIELD_EXPRESSIONS,
     .offset = offsetof(olo_coordinates, mass),
     .count_offset = offsetof(olo_coordinates, mass_count),
     .required = true,
     .help =
         "the mass matrix: its diagonal, or all rows; entries may depend on coordinates (schemes "
         "contact-two-step, moreau)"},
    {.key = "energy",
     .kind = OLO_FIELD_EXPRESSIONS,
     .offset = offsetof(olo_coordinates, energy),
     .count_offset = offsetof(olo_coordinates, energy_count),
     .help =
         "stored energy, gravity included: an expression of coordinates, or a list whose sum it "
         "is; default 0"},
    {.key = "constraints",
     .kind = OLO_FIELD_EXPRESSIONS,
     .offset = offsetof(olo_coordinates, constraints),
     .count_offset = offsetof(olo_coordinates, constraint_count),
     .help = "expressions of coordinates that remain zero"},
    {.key = "forces",
     .kind = OLO_FIELD_NUMBERS,
     .offset = offsetof(olo_coordinates, forces),
     .count_offset = offsetof(olo_coordinates, force_count),
     .help = "constant forces along the coordinates; a control has the name of its coordinate; "
             "default 0"},
    {.key = "time",
     .kind = OLO_FIELD_SIGNAL,
     .offset = offsetof(olo_coordinates, signal),
     .help = "factor of the forces over time: an expression of t or a table; default 1"},
};

const olo_element_type olo_element_coordinates = {.initialised = OLO_INITIALISED_COORDINATES,
                                                  .section = "coordinates",
                                                  .noun = "coordinates",
                                                  .size = sizeof(olo_coordinates),
                                                  .fields = fields,
                                                  .field_count =
                                                      (int)(sizeof fields / sizeof *fields),
                                                  .defaults = defaults,
                                                  .build = build};
