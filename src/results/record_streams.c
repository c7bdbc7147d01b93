/* The list of streams of a system: names, units and descriptions. */
#include "results/record_streams.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "results/layout.h"
#include "system/system.h"

/* A list under construction; when memory is exhausted no more streams are added. */
typedef struct list {
    olo_streams *streams;
    const char *units; /* of the model */
    bool failed;
} list;

static const char *store_text(list *l, const char *text)
{
    const char *copy = olo_pool_text(&l->streams->pool, text, strlen(text));
    l->failed = l->failed || copy == NULL;
    return copy;
}

/* Adds a stream of vectors of `width` numbers, or of single numbers when `width` is 0. */
static olo_stream *add(list *l, const char *path, size_t width, olo_dimension dimension,
                       const char *description)
{
    char units[OLO_UNITS_SIZE];
    olo_layout_units(dimension, l->units, units);
    olo_stream *stream = &l->streams->items[l->streams->count++];
    stream->table = (olo_hdf5_table){.path = store_text(l, path),
                                     .width = width,
                                     .units = store_text(l, units),
                                     .description = store_text(l, description)};
    stream->width = width > 0 ? width : 1;
    return stream;
}

/* The same with names of columns, one per number of the width; without names there is no stream. */
static void add_named(list *l, const char *path, size_t width, olo_dimension dimension,
                      const char *const *columns, const char *description)
{
    olo_stream *stream = add(l, path, width, dimension, description);
    stream->width = width;
    stream->columns = columns;
    l->failed = l->failed || columns == NULL;
}

static void add_contacts(list *l, const olo_system *system)
{
    static const char *const GAP[] = {"gap"}, *const STATUS[] = {"status"};
    static const char *const FORCE[] = {"force.x", "force.y", "force.z"};
    static const char *const LOAD[] = {"normal", "friction", "torque"};
    static const char *const POINT[] = {"point.x", "point.y", "point.z"};
    static const struct {
        const char *path, *const *part;
        int parts;
        bool located;
        olo_dimension dimension;
        const char *description;
    } TABLES[] = {{"/frames/contact_gap", GAP, 1, false, OLO_DIMENSION_LENGTH, "gaps of contacts"},
                  {"/frames/contact_force", FORCE, 3, false, OLO_DIMENSION_FORCE,
                   "mean forces of contacts over the last step, with impacts"},
                  {"/frames/contact_load", LOAD, 3, false, OLO_DIMENSION_STRESS,
                   "mean normal force, friction force and friction torque about the normal"},
                  {"/frames/contact_status", STATUS, 1, false, OLO_DIMENSION_NONE,
                   "0: open, 1: closed without friction, 2: slides, 3: sticks"},
                  {"/frames/contact_point", POINT, 3, true, OLO_DIMENSION_LENGTH,
                   "touching points in space"}};
    for (size_t i = 0; i < sizeof TABLES / sizeof *TABLES; i++) {
        size_t count = 0;
        const char **names = olo_layout_contacts(&l->streams->pool, system, TABLES[i].parts,
                                                 TABLES[i].part, TABLES[i].located, &count);
        add_named(l, TABLES[i].path, count, TABLES[i].dimension, names, TABLES[i].description);
    }
}

static void add_frames(list *l, const olo_system *system, bool forces)
{
    const size_t n = (size_t)system->n, nodes = (size_t)system->node_count;
    const size_t m = forces ? (size_t)system->m : 0;
    olo_pool *pool = &l->streams->pool;
    add(l, "/frames/time", 0, OLO_DIMENSION_TIME, "time of the recorded states");
    add(l, "/frames/step", 0, OLO_DIMENSION_NONE, "number of the step")->table.integer = true;
    add_named(l, "/frames/q", n, OLO_DIMENSION_CONFIGURATION,
              olo_layout_configuration(pool, system, false),
              "configuration: positions of points, or differences of positions of points in "
              "relative coordinates; positions and directors of bodies");
    add_named(l, "/frames/v", n, OLO_DIMENSION_CONFIGURATION_RATE,
              olo_layout_configuration(pool, system, true), "rates of the configuration");
    add_named(l, "/frames/position", 3 * nodes, OLO_DIMENSION_LENGTH,
              olo_layout_positions(pool, system, false),
              "positions in space of all points and of the origins of all bodies");
    add_named(l, "/frames/velocity", 3 * nodes, OLO_DIMENSION_VELOCITY,
              olo_layout_positions(pool, system, true),
              "velocities in space of all points and of the origins of all bodies");
    add_named(l, "/frames/multipliers", m, OLO_DIMENSION_MULTIPLIER,
              olo_layout_multipliers(pool, system, m),
              "multipliers of the constraints over the last step");
    const size_t joints = (size_t)system->joint_coordinate_count;
    add_named(l, "/frames/joint", joints, OLO_DIMENSION_JOINT,
              olo_layout_joint_coordinates(pool, system, false),
              "joint coordinates: angles, turns counted from the start, and positions");
    add_named(l, "/frames/joint_rate", joints, OLO_DIMENSION_JOINT_RATE,
              olo_layout_joint_coordinates(pool, system, true), "rates of the joint coordinates");
    add_named(
        l, "/frames/drive", (size_t)system->drive_count, OLO_DIMENSION_DRIVE,
        olo_layout_drives(pool, system),
        "torques and forces along joint coordinates with a prescribed motion, over the last step");
    add_named(l, "/frames/reaction", 6 * (size_t)system->reaction_count, OLO_DIMENSION_STRESS,
              olo_layout_reactions(pool, system),
              "forces and moments of joints on their bodies over the last step");
    add_contacts(l, system);
    size_t points = 0;
    for (int i = 0; i < system->beam_count; i++)
        points += (size_t)olo_system_beam_point_count(system, i);
    add_named(l, "/frames/strain", 6 * points, OLO_DIMENSION_STRAIN,
              olo_layout_beams(pool, system, false),
              "strains of beams at their quadrature points: shear along d1 and d2, elongation, "
              "curvatures about d1 and d2, torsion");
    add_named(l, "/frames/stress", 6 * points, OLO_DIMENSION_STRESS,
              olo_layout_beams(pool, system, true),
              "stress resultants of beams at their quadrature points: forces, then moments, along "
              "d1, d2 and d3 of the section");
    size_t edges = 0;
    for (int i = 0; i < system->beam_count; i++)
        edges += system->beams[i].discrete ? (size_t)system->beams[i].elements : 0;
    add_named(l, "/frames/momentum", 7 * edges, OLO_DIMENSION_STRESS,
              olo_layout_momenta(pool, system),
              "momentum maps along discrete rods: force n, moment m + r x n about the origin, in "
              "space axes, and torque m . d3");
}

static void add_outputs(list *l, const olo_system *system)
{
    static const struct {
        const char *name;
        olo_dimension dimension;
        const char *description;
    } VECTORS[3] = {
        {"position", OLO_DIMENSION_LENGTH, "position in space"},
        {"velocity", OLO_DIMENSION_VELOCITY, "velocity in space"},
        {"acceleration", OLO_DIMENSION_ACCELERATION,
         "change of velocity over the last step by time"},
    };
    for (int i = 0; i < l->streams->outputs; i++) {
        for (int k = 0; k < 3; k++) {
            char path[512];
            snprintf(path, sizeof path, "/outputs/%s/%s", olo_system_output_name(system, i),
                     VECTORS[k].name);
            add_named(l, path, 3, VECTORS[k].dimension, olo_layout_axes, VECTORS[k].description);
        }
    }
}

static void add_ledger(list *l)
{
    static const char *const GROUPS[3] = {"/ledger", "/ledger_min", "/ledger_max"};
    static const char *const WHICH[3] = {"", ": minimum over the row's steps",
                                         ": maximum over the row's steps"};
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < OLO_LEDGER_COLUMNS; i++) {
            const olo_ledger_column *column = &olo_ledger_columns[i];
            char path[64], description[128];
            snprintf(path, sizeof path, "%s/%s", GROUPS[k], column->dataset);
            snprintf(description, sizeof description, "%s%s", column->description,
                     k == 0 && column->integer ? ": sum over the row's steps" : WHICH[k]);
            add(l, path, 0, column->dimension, description)->table.integer = column->integer;
        }
    }
}

olo_status olo_streams_create(olo_streams *streams, const olo_record_subject *subject,
                              olo_error *error)
{
    list l = {.streams = streams, .units = olo_model_units(subject->model)};
    streams->outputs = olo_system_output_count(subject->system);
    const size_t limit = OLO_STREAM_OUTPUTS + 3 * (size_t)streams->outputs + 3 * OLO_LEDGER_COLUMNS;
    streams->items = olo_pool_alloc(&streams->pool, limit, sizeof *streams->items);
    if (streams->items != NULL) {
        add_frames(&l, subject->system, subject->run->forces);
        add_outputs(&l, subject->system);
        add_ledger(&l);
    }
    for (int i = 0; i < streams->count; i++)
        streams->width += streams->items[i].width;
    return streams->items != NULL && !l.failed
               ? OLO_OK
               : olo_fail(error, OLO_NO_MEMORY, "out of memory for the names of columns");
}

void olo_streams_free(olo_streams *streams)
{
    olo_pool_free(&streams->pool);
    *streams = (olo_streams){0};
}
