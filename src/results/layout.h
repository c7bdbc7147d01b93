/* Names, units and descriptions of the contents of a result file, for the recorder and the reader.
 * docs/result-format.md is the documentation for users. */
#ifndef OLO_RESULTS_LAYOUT_H
#define OLO_RESULTS_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/pool.h"
#include "oloid/system.h"

/* Incremented when a reader of the old format would misread a file. */
enum { OLO_RESULT_FORMAT_VERSION = 2 };
#define OLO_RESULT_FORMAT "oloid-result"

/* ---- units ----------------------------------------------------------------------------------- */

typedef enum olo_dimension {
    OLO_DIMENSION_NONE,
    OLO_DIMENSION_TIME,
    OLO_DIMENSION_LENGTH,
    OLO_DIMENSION_VELOCITY,
    OLO_DIMENSION_ACCELERATION,
    OLO_DIMENSION_RATE, /* of directors */
    OLO_DIMENSION_ANGLE,
    OLO_DIMENSION_ANGULAR_VELOCITY,
    OLO_DIMENSION_ENERGY,
    OLO_DIMENSION_MOMENTUM,
    OLO_DIMENSION_ANGULAR_MOMENTUM,
    OLO_DIMENSION_CONFIGURATION,      /* positions and directors together */
    OLO_DIMENSION_CONFIGURATION_RATE, /* and their rates */
    OLO_DIMENSION_JOINT,              /* angles and lengths */
    OLO_DIMENSION_JOINT_RATE,
    OLO_DIMENSION_DRIVE, /* torques and forces */
    OLO_DIMENSION_CURVATURE,
    OLO_DIMENSION_FORCE,
    OLO_DIMENSION_MOMENT,
    OLO_DIMENSION_STRAIN,     /* shear and elongation, curvatures */
    OLO_DIMENSION_STRESS,     /* forces and moments */
    OLO_DIMENSION_CONSTRAINT, /* each row has its own */
    OLO_DIMENSION_CONSTRAINT_RATE,
    OLO_DIMENSION_MULTIPLIER,
    OLO_DIMENSION_COUNT
} olo_dimension;

enum { OLO_UNITS_SIZE = 128 };

/* The units of a quantity: symbols such as "kg m/s" when the model's units are "SI", otherwise the
 * dimension in the units of the model, "mass length / time (mm, t, s)". */
void olo_layout_units(olo_dimension dimension, const char *units, char text[OLO_UNITS_SIZE]);

/* ---- the ledger ------------------------------------------------------------------------------ */

/* A column of the ledger: its dataset in /ledger, /ledger_min and /ledger_max, its name in a
 * table. */
typedef struct olo_ledger_column {
    const char *dataset;
    const char *name;
    olo_dimension dimension;
    bool integer; /* a count: a row has the sum over its steps */
    const char *description;
} olo_ledger_column;

enum { OLO_LEDGER_COLUMNS = 25 };
extern const olo_ledger_column olo_ledger_columns[OLO_LEDGER_COLUMNS];

/* The numbers of a step in this order. */
void olo_layout_ledger(const olo_ledger *ledger, double time, int iterations,
                       double values[OLO_LEDGER_COLUMNS]);

/* ---- names of columns ------------------------------------------------------------------------ */

/* Names such as `top.position.x`, allocated from the pool, NULL when memory is exhausted: of the
 * configuration (rates: of the velocities), of the positions of all nodes (rates: velocities), and
 * of the multipliers. */
const char **olo_layout_configuration(olo_pool *pool, const olo_system *system, bool rates);
const char **olo_layout_positions(olo_pool *pool, const olo_system *system, bool rates);
const char **olo_layout_multipliers(olo_pool *pool, const olo_system *system, size_t rows);

/* The names of strains or stresses at the quadrature points of all beams. */
const char **olo_layout_beams(olo_pool *pool, const olo_system *system, bool stress);
/* The names of the momentum maps at the ends of the edges of all discrete rods. */
const char **olo_layout_momenta(olo_pool *pool, const olo_system *system);

/* Of the joint coordinates: `hinge.angle`, rates `hinge.angle.rate`. */
const char **olo_layout_joint_coordinates(olo_pool *pool, const olo_system *system, bool rates);

/* Of the drives, `hinge.angle.drive`; of the reactions, `pin.force.x` and `pin.moment.x`. */
const char **olo_layout_drives(olo_pool *pool, const olo_system *system);
const char **olo_layout_reactions(olo_pool *pool, const olo_system *system);

/* Of the contacts, `floor.gap` or `floor.force.x`: each with the given parts, if `located` only
 * those that have a position in space. Sets the number of names. */
const char **olo_layout_contacts(olo_pool *pool, const olo_system *system, int parts,
                                 const char *const *part, bool located, size_t *count);

/* One name from parts: "first.second.third". */
const char *olo_layout_name(olo_pool *pool, const char *first, const char *second,
                            const char *third);

/* "x", "y", "z" */
extern const char *const olo_layout_axes[3];

#endif
