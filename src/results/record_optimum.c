/* Writes an optimum; see the header. */
#include "results/record_optimum.h"

#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "control/optimum.h"
#include "system/system.h"

// -- the group /optimum ---------------------------------------------------------------------------

static void write_certificate(olo_writer *w, const olo_record_optimum *x)
{
    const olo_certificate *c = &x->certificate;
    const olo_optimum *o = x->optimum;
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"cost", olo_optimum_cost(o)},
                   {"duration", olo_optimum_duration(o)},
                   {"seconds", olo_optimum_seconds(o)},
                   {"own_seconds", olo_optimum_own_seconds(o)},
                   {"violation", c->violation},
                   {"stationarity", c->stationarity},
                   {"complementarity", c->complementarity},
                   {"sign", c->sign},
                   {"momentum", c->momentum},
                   {"linear_balance", c->linear_balance},
                   {"angular_balance", c->angular_balance},
                   {"linear_change", c->linear_change},
                   {"angular_change", c->angular_change},
                   {"turn", c->turn}};
    const struct {
        const char *name;
        int value;
    } integers[] = {{"intervals", olo_optimum_intervals(o)},
                    {"iterations", olo_optimum_iterations(o)},
                    {"variables", c->variables},
                    {"constraints", c->constraints},
                    {"conserved", c->conserved},
                    {"negative", c->negative},
                    {"zero", c->zero},
                    {"active", c->active},
                    {"minimum", c->minimum},
                    {"saddles", olo_optimum_saddle_count(o)}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        olo_writer_number(w, "/optimum", numbers[i].name, numbers[i].value);
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
        olo_writer_integer(w, "/optimum", integers[i].name, integers[i].value);
    olo_writer_text(w, "/optimum", "ended", olo_optimum_explanation(o));
    olo_writer_text(w, "/optimum", "worst", c->worst);
    olo_writer_text(w, "/optimum", "second_order", olo_second_order_name(c->second_order));
}

static void write_resimulation(olo_writer *w, const olo_resimulation *x)
{
    if (x->substeps == 0)
        return;
    olo_writer_integer(w, "/optimum", "resimulation_substeps", x->substeps);
    olo_writer_number(w, "/optimum", "resimulation_position", x->position);
    olo_writer_number(w, "/optimum", "resimulation_rotation", x->rotation);
    olo_writer_number(w, "/optimum", "resimulation_end_position", x->end_position);
    olo_writer_number(w, "/optimum", "resimulation_end_rotation", x->end_rotation);
}

/* Memory for numbers and names of one table; nothing is written if there is not enough. */
typedef struct table {
    double *values;
    const char **names;
} table;

static bool open_table(olo_writer *w, table *x, size_t values, size_t names)
{
    *x = (table){.values = olo_alloc(values, sizeof(double)),
                 .names = olo_alloc(names, sizeof(char *))};
    if (!x->values || !x->names)
        olo_writer_fail(w, OLO_NO_MEMORY, "out of memory for an optimum");
    return x->values && x->names;
}

static void close_table(olo_writer *w, table *x, const olo_hdf5_table *layout, size_t names)
{
    if (x->values && x->names) {
        olo_writer_table(w, layout, x->values);
        olo_writer_texts(w, layout->path, "columns", x->names, names);
    }
    olo_free(x->values);
    olo_free(x->names);
}

static void write_controls(olo_writer *w, const olo_optimum *o)
{
    const size_t N = (size_t)olo_optimum_intervals(o), inputs = (size_t)olo_optimum_input_count(o),
                 width = inputs + 2;
    table x, bounds;
    if (inputs == 0)
        return;
    if (open_table(w, &x, N * width, width)) {
        x.names[0] = "start";
        x.names[1] = "end";
        for (size_t i = 0; i < inputs; i++)
            x.names[i + 2] = olo_optimum_input_name(o, (int)i);
        for (size_t k = 0; k < N; k++) {
            x.values[k * width] = olo_optimum_time(o, (int)k);
            x.values[k * width + 1] = olo_optimum_time(o, (int)k + 1);
            for (size_t i = 0; i < inputs; i++)
                x.values[k * width + 2 + i] = olo_optimum_input(o, (int)i, (int)k);
        }
    }
    close_table(w, &x,
                &(olo_hdf5_table){.path = "/optimum/controls",
                                  .width = width,
                                  .rows = N,
                                  .description = "factors of driven loads and joints per interval"},
                width);
    if (open_table(w, &bounds, 2 * inputs, inputs))
        for (size_t i = 0; i < inputs; i++) {
            olo_optimum_input_bounds(o, (int)i, &bounds.values[i], &bounds.values[inputs + i]);
            bounds.names[i] = olo_optimum_input_name(o, (int)i);
        }
    close_table(w, &bounds,
                &(olo_hdf5_table){.path = "/optimum/bounds",
                                  .width = inputs,
                                  .rows = 2,
                                  .description = "lower and upper bounds of driven elements"},
                inputs);
}

static void write_multipliers(olo_writer *w, const olo_optimum *o)
{
    const olo_system *s = o->problem->system;
    const size_t nodes = (size_t)olo_optimum_intervals(o) + 1, m = (size_t)s->m;
    table x;
    if (m == 0)
        return;
    if (open_table(w, &x, nodes * m, m)) {
        for (int g = 0; g < s->group_count; g++)
            for (int i = 0; i < s->groups[g].count; i++)
                x.names[s->groups[g].first + i] = s->groups[g].name;
        for (size_t k = 0; k < nodes; k++)
            for (size_t i = 0; i < m; i++)
                x.values[k * m + i] = olo_optimum_multipliers(o, (int)k)[i];
    }
    close_table(
        w, &x,
        &(olo_hdf5_table){.path = "/optimum/multipliers",
                          .width = m,
                          .rows = nodes,
                          .description = o->problem->energy_momentum
                                             ? "multipliers of constraint rows over the intervals "
                                               "that begin at the nodes"
                                             : "multipliers of constraint rows at all nodes"},
        m);
    int internal = 0; /* rows of bodies, which come first */
    for (int g = 0; g < s->group_count; g++)
        internal += s->groups[g].internal ? s->groups[g].count : 0;
    olo_writer_integer(w, "/optimum/multipliers", "internal", internal);
}

static void write_costs(olo_writer *w, const olo_optimum *o)
{
    const size_t count = (size_t)olo_optimum_cost_part_count(o);
    table x;
    if (count == 0)
        return;
    if (open_table(w, &x, count, count))
        for (size_t i = 0; i < count; i++) {
            x.values[i] = olo_optimum_cost_part(o, (int)i);
            x.names[i] = olo_optimum_cost_part_name(o, (int)i);
        }
    close_table(w, &x,
                &(olo_hdf5_table){.path = "/optimum/costs",
                                  .width = count,
                                  .rows = 1,
                                  .description = "parts of the cost"},
                count);
}

static void write_parameters(olo_writer *w, const olo_optimum *o)
{
    const size_t count = (size_t)olo_optimum_parameter_count(o);
    table x;
    if (count == 0)
        return;
    if (open_table(w, &x, count, count))
        for (size_t i = 0; i < count; i++) {
            x.values[i] = olo_optimum_parameter(o, (int)i);
            x.names[i] = olo_optimum_parameter_name(o, (int)i);
        }
    close_table(w, &x,
                &(olo_hdf5_table){.path = "/optimum/parameters",
                                  .width = count,
                                  .rows = 1,
                                  .description = "parameters of the model that were variables"},
                count);
}

static void write_iterations(olo_writer *w, const olo_optimum *o)
{
    static const char *const names[] = {"iteration", "cost", "violation", "stationarity"};
    const size_t count = (size_t)olo_optimum_progress_count(o);
    table x;
    if (open_table(w, &x, 4 * count, 4))
        for (size_t i = 0; i < count; i++) {
            const olo_optimize_progress now = olo_optimum_progress(o, (int)i);
            const double row[] = {now.iteration, now.cost, now.violation, now.stationarity};
            for (size_t j = 0; j < 4; j++) {
                x.values[4 * i + j] = row[j];
                x.names[j] = names[j];
            }
        }
    close_table(w, &x,
                &(olo_hdf5_table){.path = "/optimum/iterations",
                                  .width = 4,
                                  .rows = count,
                                  .description = "iterations of the solver"},
                count > 0 ? 4 : 0);
}

void olo_writer_optimum(olo_writer *w, const olo_record_optimum *x)
{
    olo_writer_group(w, "/optimum");
    write_certificate(w, x);
    write_resimulation(w, &x->resimulation);
    write_controls(w, x->optimum);
    write_multipliers(w, x->optimum);
    write_parameters(w, x->optimum);
    write_costs(w, x->optimum);
    write_iterations(w, x->optimum);
}

// -- recording ------------------------------------------------------------------------------------

typedef struct recording {
    const olo_system *system;
    olo_observer recorder;
} recording;

static olo_status record_node(void *context, int node, const olo_state *state, olo_error *error)
{
    const recording *x = context;
    const olo_step_report none = {.rotation_node = -1};
    return x->recorder.step(x->recorder.context, x->system, state, node, &none, error);
}

static const char *plural(int count)
{
    return count == 1 ? "" : "s";
}

/* Saddle points that were left, and what the last point is. */
static void add_second_order(olo_recorder *recorder, const olo_record_optimum *x)
{
    const olo_certificate *c = &x->certificate;
    char text[200];
    for (int i = 0; i < olo_optimum_saddle_count(x->optimum); i++) {
        const olo_saddle saddle = olo_optimum_saddle(x->optimum, i);
        if (saddle.left) {
            (void)snprintf(text, sizeof text,
                           "A saddle point of cost %.9g with %d negative eigenvalue%s was left.",
                           saddle.cost, saddle.negative, plural(saddle.negative));
            olo_recorder_add_finding(recorder, OLO_VERDICT_OK, text);
        }
    }
    if (c->second_order == OLO_POINT_MINIMUM) {
        olo_recorder_add_finding(recorder, OLO_VERDICT_OK, "The point is a strict local minimum.");
    } else if (c->second_order == OLO_POINT_SADDLE) {
        (void)snprintf(text, sizeof text,
                       "The point is a saddle point: the reduced Hessian has %d negative "
                       "eigenvalue%s.",
                       c->negative, plural(c->negative));
        olo_recorder_add_finding(recorder, OLO_VERDICT_WARN, text);
    } else if (c->second_order == OLO_POINT_DEGENERATE) {
        (void)snprintf(text, sizeof text,
                       "The point is degenerate: the reduced Hessian has %d zero eigenvalue%s.",
                       c->zero, plural(c->zero));
        olo_recorder_add_finding(recorder, OLO_VERDICT_WARN, text);
    }
}

/* Sentences about the end of the solution and the checks after it. */
static void add_findings(olo_recorder *recorder, const olo_record_optimum *x)
{
    const olo_optimum_status ended = olo_optimum_ended(x->optimum);
    const bool solved = ended == OLO_OPTIMUM_SOLVED || ended == OLO_OPTIMUM_NEARLY;
    char text[400];
    (void)snprintf(text, sizeof text, "The solver ended: %s.", olo_optimum_explanation(x->optimum));
    olo_recorder_add_finding(recorder, solved ? OLO_VERDICT_OK : OLO_VERDICT_BROKEN, text);
    add_second_order(recorder, x);
    if (x->resimulation.substeps > 0) {
        (void)snprintf(text, sizeof text,
                       "With %d steps per interval the same controls lead up to %.3g and %.3g rad "
                       "away from this motion, %.3g and %.3g rad at the end.",
                       x->resimulation.substeps, x->resimulation.position, x->resimulation.rotation,
                       x->resimulation.end_position, x->resimulation.end_rotation);
        olo_recorder_add_finding(recorder, OLO_VERDICT_OK, text);
    }
}

olo_status olo_recorder_add_optimum(olo_recorder *recorder, const olo_optimum *optimum,
                                    const olo_certificate *certificate,
                                    const olo_resimulation *resimulation, olo_error *error)
{
    const olo_record_optimum x = {.optimum = optimum,
                                  .certificate = *certificate,
                                  .resimulation =
                                      resimulation ? *resimulation : (olo_resimulation){0}};
    recording to = {.system = optimum->problem->system,
                    .recorder = olo_recorder_observer(recorder)};
    olo_recorder_set_independent_states(
        recorder, "An optimal motion: the states at the nodes between intervals of time.", true);
    add_findings(recorder, &x);
    olo_recorder_set_optimum(recorder, &x);
    return olo_optimum_visit_states(optimum, record_node, &to, error);
}
