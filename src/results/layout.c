/* Names, units and descriptions in a result file. */
#include "results/layout.h"

#include <stdio.h>
#include <string.h>

#include "system/system.h"

const char *const olo_layout_axes[3] = {"x", "y", "z"};

/* ---- units ----------------------------------------------------------------------------------- */

typedef struct unit {
    const char *si;
    const char *dimension;
} unit;

static const unit UNITS[] = {
    [OLO_DIMENSION_NONE] = {"1", NULL},
    [OLO_DIMENSION_TIME] = {"s", "time"},
    [OLO_DIMENSION_LENGTH] = {"m", "length"},
    [OLO_DIMENSION_VELOCITY] = {"m/s", "length / time"},
    [OLO_DIMENSION_ACCELERATION] = {"m/s^2", "length / time^2"},
    [OLO_DIMENSION_RATE] = {"1/s", "1 / time"},
    [OLO_DIMENSION_ANGLE] = {"rad", NULL},
    [OLO_DIMENSION_ANGULAR_VELOCITY] = {"rad/s", "rad / time"},
    [OLO_DIMENSION_ENERGY] = {"J", "mass length^2 / time^2"},
    [OLO_DIMENSION_MOMENTUM] = {"kg m/s", "mass length / time"},
    [OLO_DIMENSION_ANGULAR_MOMENTUM] = {"kg m^2/s", "mass length^2 / time"},
    [OLO_DIMENSION_CONFIGURATION] = {"m for positions, 1 for directors",
                                     "length for positions, 1 for directors"},
    [OLO_DIMENSION_CONFIGURATION_RATE] = {"m/s for velocities, 1/s for rates of directors",
                                          "length / time for velocities, 1 / time for rates of "
                                          "directors"},
    [OLO_DIMENSION_JOINT] = {"rad for angles, m for positions",
                             "rad for angles, length for positions"},
    [OLO_DIMENSION_JOINT_RATE] = {"rad/s for angles, m/s for positions",
                                  "rad / time for angles, length / time for positions"},
    [OLO_DIMENSION_DRIVE] = {"N m along angles, N along positions",
                             "mass length^2 / time^2 along angles, mass length / time^2 along "
                             "positions"},
    [OLO_DIMENSION_CURVATURE] = {"1/m", "1 / length"},
    [OLO_DIMENSION_FORCE] = {"N", "mass length / time^2"},
    [OLO_DIMENSION_MOMENT] = {"N m", "mass length^2 / time^2"},
    [OLO_DIMENSION_STRAIN] = {"1 for shear and elongation, 1/m for curvatures",
                              "1 for shear and elongation, 1 / length for curvatures"},
    [OLO_DIMENSION_STRESS] = {"N for forces, N m for moments",
                              "mass length / time^2 for forces, mass length^2 / time^2 for "
                              "moments"},
    [OLO_DIMENSION_CONSTRAINT] = {"that of the constraint", NULL},
    [OLO_DIMENSION_CONSTRAINT_RATE] = {"that of the constraint / s",
                                       "that of the constraint / time"},
    [OLO_DIMENSION_MULTIPLIER] = {"J / that of the constraint", "energy / that of the constraint"},
};

void olo_layout_units(olo_dimension dimension, const char *units, char text[OLO_UNITS_SIZE])
{
    const unit *u = &UNITS[dimension];
    if (u->dimension == NULL || units == NULL || units[0] == '\0' || strcmp(units, "SI") == 0)
        snprintf(text, OLO_UNITS_SIZE, "%s", u->si);
    else
        snprintf(text, OLO_UNITS_SIZE, "%s (%.40s)", u->dimension, units);
}

/* ---- the ledger ------------------------------------------------------------------------------ */

const olo_ledger_column olo_ledger_columns[OLO_LEDGER_COLUMNS] = {
    {"time", "time", OLO_DIMENSION_TIME, false, "time"},
    {"kinetic", "energy.kinetic", OLO_DIMENSION_ENERGY, false, "kinetic energy"},
    {"potential", "energy.potential", OLO_DIMENSION_ENERGY, false, "potential energy"},
    {"strain", "energy.strain", OLO_DIMENSION_ENERGY, false, "energy stored in springs and beams"},
    {"constraint", "energy.constraint", OLO_DIMENSION_ENERGY, false,
     "energy of constraints with a penalty"},
    {"total", "energy.total", OLO_DIMENSION_ENERGY, false,
     "kinetic + potential + strain + constraint energy"},
    {"work", "energy.work", OLO_DIMENSION_ENERGY, false, "work done by loads since the start"},
    {"dissipation", "energy.dissipation", OLO_DIMENSION_ENERGY, false,
     "energy lost in dampers and contacts since the start"},
    {"impact", "energy.impact", OLO_DIMENSION_ENERGY, false,
     "energy lost in impacts since the start"},
    {"friction", "energy.friction", OLO_DIMENSION_ENERGY, false,
     "energy lost in friction of contacts since the start"},
    {"balance", "energy.balance", OLO_DIMENSION_ENERGY, false,
     "total - work + dissipation, which is constant with energy-momentum"},
    {"interval", "energy.interval", OLO_DIMENSION_ENERGY, false,
     "discrete energy of the last step with variational, else the total"},
    {"linear_momentum.x", "linear_momentum.x", OLO_DIMENSION_MOMENTUM, false, "linear momentum"},
    {"linear_momentum.y", "linear_momentum.y", OLO_DIMENSION_MOMENTUM, false, "linear momentum"},
    {"linear_momentum.z", "linear_momentum.z", OLO_DIMENSION_MOMENTUM, false, "linear momentum"},
    {"angular_momentum.x", "angular_momentum.x", OLO_DIMENSION_ANGULAR_MOMENTUM, false,
     "angular momentum about the origin"},
    {"angular_momentum.y", "angular_momentum.y", OLO_DIMENSION_ANGULAR_MOMENTUM, false,
     "angular momentum about the origin"},
    {"angular_momentum.z", "angular_momentum.z", OLO_DIMENSION_ANGULAR_MOMENTUM, false,
     "angular momentum about the origin"},
    {"constraint_error", "constraint_error", OLO_DIMENSION_CONSTRAINT, false,
     "largest error of a constraint"},
    {"velocity_error", "velocity_error", OLO_DIMENSION_CONSTRAINT_RATE, false,
     "largest rate of a constraint"},
    {"penetration", "penetration", OLO_DIMENSION_LENGTH, false, "depth of the deepest contact"},
    {"closed", "closed_contacts", OLO_DIMENSION_NONE, false, "number of closed contacts"},
    {"impulse", "impact_impulse", OLO_DIMENSION_MOMENTUM, false,
     "largest normal impulse of an impact in the last step"},
    {"inclusion_residual", "inclusion_residual", OLO_DIMENSION_NONE, false,
     "largest residual of contact laws in the last step, relative"},
    {"iterations", "iterations", OLO_DIMENSION_NONE, true, "iterations of Newton's method"},
};

void olo_layout_ledger(const olo_ledger *ledger, double time, int iterations,
                       double values[OLO_LEDGER_COLUMNS])
{
    const double row[OLO_LEDGER_COLUMNS] = {
        time,
        ledger->kinetic,
        ledger->potential,
        ledger->strain,
        ledger->constraint,
        ledger->total,
        ledger->work,
        ledger->dissipation,
        ledger->impact,
        ledger->friction,
        ledger->balance,
        ledger->interval,
        ledger->linear_momentum[0],
        ledger->linear_momentum[1],
        ledger->linear_momentum[2],
        ledger->angular_momentum[0],
        ledger->angular_momentum[1],
        ledger->angular_momentum[2],
        ledger->constraint_error,
        ledger->velocity_error,
        ledger->penetration,
        ledger->closed,
        ledger->impulse,
        ledger->inclusion_residual,
        (double)iterations,
    };
    memcpy(values, row, sizeof row);
}

/* ---- names of columns ------------------------------------------------------------------------ */

const char *olo_layout_name(olo_pool *pool, const char *first, const char *second,
                            const char *third)
{
    const size_t size = strlen(first) + strlen(second) + strlen(third) + 3;
    char *name = olo_pool_alloc(pool, size, 1);
    if (name != NULL)
        snprintf(name, size, "%s.%s.%s", first, second, third);
    return name;
}

/* The names of the components of a node's 3-vector; false when memory is exhausted. */
static bool name_vector(olo_pool *pool, const char *node, const char *vector, const char **names)
{
    for (int axis = 0; axis < 3; axis++) {
        names[axis] = olo_layout_name(pool, node, vector, olo_layout_axes[axis]);
        if (names[axis] == NULL)
            return false;
    }
    return true;
}

static const char *name_scalar(olo_pool *pool, const char *node, bool rate)
{
    char name[192];
    const int length = snprintf(name, sizeof name, "%s%s", node, rate ? ".rate" : "");
    return olo_pool_text(pool, name, (size_t)length);
}

const char **olo_layout_configuration(olo_pool *pool, const olo_system *system, bool rates)
{
    static const char *const VECTORS[2][4] = {{"position", "d1", "d2", "d3"},
                                              {"velocity", "d1_rate", "d2_rate", "d3_rate"}};
    const char **names = olo_pool_alloc(pool, (size_t)system->n + 1, sizeof *names);
    for (int i = 0; names != NULL && i < system->n; i += system->coordinates[i].width) {
        const olo_coordinate *c = &system->coordinates[i];
        if (c->slot == OLO_SLOT_SCALAR) {
            names[i] = name_scalar(pool, olo_system_node_name(system, c->node), rates);
            if (names[i] == NULL)
                return NULL;
        } else if (!name_vector(pool, olo_system_node_name(system, c->node),
                                VECTORS[rates][c->slot], names + i))
            return NULL;
    }
    return names;
}

const char **olo_layout_positions(olo_pool *pool, const olo_system *system, bool rates)
{
    const int nodes = olo_system_node_count(system);
    const char **names = olo_pool_alloc(pool, 3 * (size_t)nodes + 1, sizeof *names);
    for (int i = 0; names != NULL && i < nodes; i++)
        if (!name_vector(pool, olo_system_node_name(system, i), rates ? "velocity" : "position",
                         names + 3 * i))
            return NULL;
    return names;
}

const char **olo_layout_multipliers(olo_pool *pool, const olo_system *system, size_t rows)
{
    const char **names = olo_pool_alloc(pool, rows + 1, sizeof *names);
    const int groups = olo_system_group_count(system);
    for (int i = 0; names != NULL && i < groups; i++) {
        const int first = olo_system_group_first(system, i);
        for (int k = 0; k < olo_system_group_row_count(system, i); k++) {
            char number[16];
            snprintf(number, sizeof number, "%d", k + 1);
            const char *group = olo_system_group_name(system, i);
            if (first + k < (int)rows &&
                (names[first + k] = olo_layout_name(pool, group, "multiplier", number)) == NULL)
                return NULL;
        }
    }
    return names;
}

/* "hinge.angle" and a suffix */
static const char *name_coordinate(olo_pool *pool, const olo_system *system, int coordinate,
                                   const char *suffix)
{
    char name[192];
    const int length = snprintf(name, sizeof name, "%s%s",
                                olo_system_joint_coordinate_name(system, coordinate), suffix);
    return olo_pool_text(pool, name, (size_t)length);
}

const char **olo_layout_joint_coordinates(olo_pool *pool, const olo_system *system, bool rates)
{
    const int count = olo_system_joint_coordinate_count(system);
    const char **names = olo_pool_alloc(pool, (size_t)count + 1, sizeof *names);
    for (int i = 0; names != NULL && i < count; i++) {
        names[i] = name_coordinate(pool, system, i, rates ? ".rate" : "");
        if (names[i] == NULL)
            return NULL;
    }
    return names;
}

/* `beam.point4.n1`: the fourth quadrature point of the beam. */
const char **olo_layout_beams(olo_pool *pool, const olo_system *system, bool stress)
{
    static const char *const NAMES[2][6] = {
        {"gamma1", "gamma2", "gamma3", "kappa1", "kappa2", "kappa3"},
        {"n1", "n2", "n3", "m1", "m2", "m3"}};
    size_t points = 0, at = 0;
    for (int i = 0; i < olo_system_beam_count(system); i++)
        points += (size_t)olo_system_beam_point_count(system, i);
    const char **names = olo_pool_alloc(pool, 6 * points + 1, sizeof *names);
    for (int i = 0; names != NULL && i < olo_system_beam_count(system); i++) {
        for (int p = 0; p < olo_system_beam_point_count(system, i); p++) {
            char point[24];
            snprintf(point, sizeof point, "point%d", p + 1);
            for (int k = 0; k < 6; k++) {
                names[at] =
                    olo_layout_name(pool, olo_system_beam_name(system, i), point, NAMES[stress][k]);
                if (names[at++] == NULL)
                    return NULL;
            }
        }
    }
    return names;
}

/* `rod.edge4.nx`: the force through the end of the fourth edge of a discrete rod. */
const char **olo_layout_momenta(olo_pool *pool, const olo_system *system)
{
    static const char *const NAMES[7] = {"nx", "ny", "nz", "mx", "my", "mz", "torque"};
    size_t edges = 0, at = 0;
    for (int i = 0; i < system->beam_count; i++)
        edges += system->beams[i].discrete ? (size_t)system->beams[i].elements : 0;
    const char **names = olo_pool_alloc(pool, 7 * edges + 1, sizeof *names);
    for (int i = 0; names != NULL && i < system->beam_count; i++) {
        for (int e = 0; system->beams[i].discrete && e < system->beams[i].elements; e++) {
            char edge[24];
            snprintf(edge, sizeof edge, "edge%d", e + 1);
            for (int k = 0; k < 7; k++) {
                names[at] = olo_layout_name(pool, system->beams[i].name, edge, NAMES[k]);
                if (names[at++] == NULL)
                    return NULL;
            }
        }
    }
    return names;
}

const char **olo_layout_drives(olo_pool *pool, const olo_system *system)
{
    const int count = olo_system_drive_count(system);
    const char **names = olo_pool_alloc(pool, (size_t)count + 1, sizeof *names);
    for (int i = 0; names != NULL && i < count; i++) {
        names[i] = name_coordinate(pool, system, olo_system_drive_coordinate(system, i), ".drive");
        if (names[i] == NULL)
            return NULL;
    }
    return names;
}

const char **olo_layout_reactions(olo_pool *pool, const olo_system *system)
{
    const int count = olo_system_reaction_count(system);
    const char **names = olo_pool_alloc(pool, 6 * (size_t)count + 1, sizeof *names);
    for (int i = 0; names != NULL && i < count; i++) {
        const char *name = olo_system_reaction_name(system, i);
        if (!name_vector(pool, name, "force", names + 6 * i) ||
            !name_vector(pool, name, "moment", names + 6 * i + 3))
            return NULL;
    }
    return names;
}

const char **olo_layout_contacts(olo_pool *pool, const olo_system *system, int parts,
                                 const char *const *part, bool located, size_t *count)
{
    const size_t most = (size_t)parts * (size_t)system->contact_count;
    const char **names = olo_pool_alloc(pool, most + 1, sizeof *names);
    *count = 0;
    for (int i = 0; names != NULL && i < system->contact_count; i++) {
        if (located && system->contacts[i].geometry == NULL)
            continue;
        for (int k = 0; k < parts; k++) {
            char text[256];
            const int length =
                snprintf(text, sizeof text, "%.200s.%s", system->contacts[i].name, part[k]);
            names[*count] = olo_pool_text(pool, text, (size_t)length);
            if (names[(*count)++] == NULL)
                return NULL;
        }
    }
    return names;
}
