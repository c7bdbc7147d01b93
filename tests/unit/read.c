/* Model files: every key has its exact value; marks, settings, the catalogue, malformed files,
 * mutations, failed allocations. */
#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reading.h"

#include "base/memory.h"
#include "model/source.h"
#include "model/yaml.h"
#include "oloid/system.h"

/* A model with every key of every section. */
static const char every_key[] =
    "# A model with everything.\n"                                                 // line 1
    "name: every-key\n"                                                            // 2
    "description: |\n"                                                             // 3
    "  Two lines\n"                                                                // 4
    "  of text.\n"                                                                 // 5
    "units: SI\n"                                                                  // 6
    "parameters: {L: \"0.75*H\", H: 0.1, R: 0.05, n: 3}\n"                         // 7
    "gravity: [0, 0, -9.81]\n"                                                     // 8
    "points:\n"                                                                    // 9
    "  - {name: a, mass: 10, position: [1, 0, 0], velocity: [0, -2, 0]}\n"         // 10
    "  - {name: b, mass: 2*n, position: [0, L, 0], relative_to: a}\n"              // 11
    "bodies:\n"                                                                    // 12
    "  - name: top\n"                                                              // 13
    "    mass: 0.5\n"                                                              // 14
    "    center: [0, 0, L]\n"                                                      // 15
    "    inertia: [1, 2, 3, 0.1, 0.2, 0.3]\n"                                      // 16
    "    position: [1, 2, 3]\n"                                                    // 17
    "    rotation: {axis: [2, 0, 0], angle: pi/2}\n"                               // 18
    "    velocity: [4, 5, 6]\n"                                                    // 19
    "    angular_velocity: [0, 0, 50]\n"                                           // 20
    "    angular_velocity_in_body: true\n"                                         // 21
    "    shapes: {type: cone, radius: R, height: H, density: 2700}\n"              // 22
    "    points: {tip: [0, 0, H], base-2: [R, 0, 0]}\n"                            // 23
    "  - name: brick\n"                                                            // 24
    "    shapes:\n"                                                                // 25
    "      - {type: box, size: [1, 2, 3], mass: 5, position: [0, 1, 0]}\n"         // 26
    "      - type: tetrahedron\n"                                                  // 27
    "        density: -1\n"                                                        // 28
    "        vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]\n"             // 29
    "        rotation: {quaternion: [2, 0, 0, 2]}\n"                               // 30
    "rods: {between: [a, b], length: 0.075}\n"                                     // 31
    "springs:\n"                                                                   // 32
    "  - {between: [top.tip, [0, 0, 1]], stiffness: 100, length: R, damping: 2}\n" // 33
    "  - name: soft\n"                                                             // 34
    "    between: [{on: top, at: [0, 0, H]}, ground]\n"                            // 35
    "    type: linear\n"                                                           // 36
    "    offset: [0, 0, 1]\n"                                                      // 37
    "  - {between: [a, b], energy: R*(l - H)^4}\n"                                 // 38
    "dampers: {name: oil, between: [a, b], type: linear, damping: 0.1}\n"          // 39
    "supports: {on: top, type: hinge, axis: [0, 0, 1], at: [1, 2, 3]}\n"           // 40
    "loads:\n"                                                                     // 41
    "  - {on: top, force: [1, 0, 0], moment: [0, 1, 0], frame: body,\n"            // 42
    "     time: sin(2*pi*t/H)}\n"                                                  // 43
    "  - {on: a, force: [1, 0, 0], time: {time: [0, H, 1], value: [0, n, 0]}}\n"   // 44
    "outputs: {name: mark, on: top.tip}\n"                                         // 45
    "run: {step: 0.01*2, end: 10, scheme: energy-momentum, constraints: multipliers,\n"
    "      newton_tolerance: 1e-9, iterations: 20, halvings: 4, frames: 500, forces: true}\n";

static const void *element(const olo_model *model, const olo_element_type *type, int index)
{
    for (int i = 0; i < olo_element_type_count; i++) {
        if (olo_element_types[i] == type) {
            check_true((size_t)index < model->lists[i].count);
            return model->lists[i].items[index]->element;
        }
    }
    return NULL;
}

static const olo_entry *entry(const olo_model *model, const char *name)
{
    return olo_names_find(&model->names, name);
}

static void check_vector(double x, double y, double z, const double *got)
{
    check_close(x, got[0], 1e-15);
    check_close(y, got[1], 1e-15);
    check_close(z, got[2], 1e-15);
}

/* Values -------------------------------------------------------------------------------------- */

TEST(sections_of_the_model_are_read)
{
    olo_model *model = read_good(every_key);
    check_text("every-key", olo_model_name(model));
    check_text("Two lines\nof text.\n", olo_model_description(model));
    check_text("SI", olo_model_units(model));
    check_text(every_key, olo_model_text(model));
    check_close(0.75 * 0.1, olo_model_parameter(model, "L"), 0.0);
    check_true(isnan(olo_model_parameter(model, "Q")));
    check_vector(0, 0, -9.81, model->gravity);
    check_vector(0, 0, 0, model->plane);
    const olo_run *run = olo_model_run(model);
    check_close(0.02, run->step, 0.0);
    check_close(10.0, run->end, 0.0);
    check_text("energy-momentum", run->scheme);
    check_text("multipliers", run->constraints);
    check_close(1e-9, run->newton_tolerance, 0.0);
    check_equal(20, run->iterations);
    check_equal(4, run->halvings);
    check_equal(500, run->frames);
    check_true(run->forces);
    olo_model_free(model);
}

TEST(points_and_bodies_are_read)
{
    olo_model *model = read_good(every_key);
    const olo_point *a = element(model, &olo_element_point, 0);
    const olo_point *b = element(model, &olo_element_point, 1);
    check_text("a", a->name);
    check_close(10.0, a->mass, 0.0);
    check_vector(0, -2, 0, a->velocity);
    check_true(a->relative_to == NULL);
    check_close(6.0, b->mass, 0.0);
    check_close(0.75 * 0.1, b->position[1], 0.0);
    check_text("a", b->relative_to);

    const olo_body *top = element(model, &olo_element_body, 0);
    check_text("top", top->name);
    check_vector(0, 0, 0.075, top->center);
    const double inertia[9] = {1, 0.1, 0.2, 0.1, 2, 0.3, 0.2, 0.3, 3};
    check_vector(inertia[0], inertia[1], inertia[2], top->inertia);
    check_vector(inertia[3], inertia[4], inertia[5], top->inertia + 3);
    check_vector(inertia[6], inertia[7], inertia[8], top->inertia + 6);
    check_vector(1, 0, 0, top->rotation);
    check_vector(0, 0, -1, top->rotation + 3);
    check_vector(0, 1, 0, top->rotation + 6);
    check_vector(4, 5, 6, top->velocity);
    check_vector(0, 0, 50, top->angular_velocity);
    check_true(top->angular_velocity_in_body);
    check_equal(1, top->shape_count);
    check_text("cone", top->shapes[0].type);
    check_close(0.05, top->shapes[0].radius, 0.0);
    check_close(2700.0, top->shapes[0].density, 0.0);
    check_equal(2, top->point_count);
    check_text("tip", top->points[0].name);
    check_vector(0, 0, 0.1, top->points[0].at);
    check_text("base-2", top->points[1].name);

    const olo_body *brick = element(model, &olo_element_body, 1);
    check_equal(2, brick->shape_count);
    check_vector(1, 2, 3, brick->shapes[0].size);
    check_vector(0, 1, 0, brick->shapes[0].position);
    check_vector(0, 1, 0, brick->shapes[1].vertices[2]);
    check_vector(0, -1, 0, brick->shapes[1].rotation);
    check_vector(1, 0, 0, brick->shapes[1].rotation + 3);
    olo_model_free(model);
}

TEST(connections_and_loads_are_read)
{
    olo_model *model = read_good(every_key);
    const olo_rod *rod = element(model, &olo_element_rod, 0);
    check_text("rod1", rod->name);
    check_text("b", rod->between[1].on);
    check_close(0.075, rod->length, 0.0);

    const olo_spring *first = element(model, &olo_element_spring, 0);
    const olo_spring *soft = element(model, &olo_element_spring, 1);
    const olo_spring *third = element(model, &olo_element_spring, 2);
    check_text("spring1", first->name);
    check_text("top.tip", first->between[0].on);
    check_true(first->between[1].on == NULL);
    check_vector(0, 0, 1, first->between[1].at);
    check_close(0.05, first->length, 0.0);
    check_close(2.0, first->damping, 0.0);
    check_text("top", soft->between[0].on);
    check_vector(0, 0, 0.1, soft->between[0].at);
    check_true(soft->between[1].on == NULL);
    check_text("linear", soft->type);
    check_vector(0, 0, 1, soft->offset);
    check_text("spring3", third->name);
    check_text("R*(l - H)^4", third->energy);
    check_true(isnan(third->length));

    const olo_damper *damper = element(model, &olo_element_damper, 0);
    check_text("linear", damper->type);
    check_close(0.1, damper->damping, 0.0);
    const olo_support *support = element(model, &olo_element_support, 0);
    check_text("top", support->on.on);
    check_text("hinge", support->type);
    check_vector(0, 0, 1, support->axis);
    check_vector(1, 2, 3, support->at);

    const olo_load *sine = element(model, &olo_element_load, 0);
    const olo_load *table = element(model, &olo_element_load, 1);
    check_text("body", sine->frame);
    check_vector(0, 1, 0, sine->moment);
    check_text("sin(2*pi*t/H)", sine->signal->expression);
    check_equal(3, table->signal->count);
    check_vector(0, 0.1, 1, table->signal->time);
    check_vector(0, 3, 0, table->signal->value);
    const olo_output *output = element(model, &olo_element_output, 0);
    check_text("mark", output->name);
    check_text("top.tip", output->on.on);
    olo_model_free(model);
}

/* The rotation of a body whose file has `rotation: text`. */
static void rotation_of(const char *text, double rotation[9])
{
    char file[512];
    (void)snprintf(file, sizeof file, "bodies: {name: a, rotation: %s}\n", text);
    olo_model *model = read_good(file);
    const olo_body *body = element(model, &olo_element_body, 0);
    memcpy(rotation, body->rotation, sizeof body->rotation);
    olo_model_free(model);
}

static void check_same_rotation(const char *one, const char *other)
{
    double a[9], b[9];
    rotation_of(one, a);
    rotation_of(other, b);
    for (int i = 0; i < 9; i++)
        check_close(a[i], b[i], 4e-16);
}

TEST(rotations_can_be_written_in_four_ways_and_as_lists)
{
    check_same_rotation("{axis: [0, 0, 3], angle: 90*deg}",
                        "{matrix: [[0, -1, 0], [1, 0, 0], [0, 0, 1]]}");
    check_same_rotation("{axis: [1, 0, 0], angle: 0.4}",
                        "{quaternion: [10*cos(0.2), 10*sin(0.2), 0, 0]}");
    check_same_rotation("{euler: zxz, angles: [0.3, 0.4, 0.5]}",
                        "[{axis: [0, 0, 1], angle: 0.3}, {axis: [1, 0, 0], angle: 0.4},"
                        " {axis: [0, 0, 1], angle: 0.5}]");
    check_same_rotation("[]", "{axis: [0, 1, 0], angle: 0}");
}

TEST(nearly_orthonormal_matrices_are_made_orthonormal)
{
    double r[9];
    rotation_of("{matrix: [[0.8660254, -0.5, 0], [0.5, 0.8660254, 0], [0, 0, 1]]}", r);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const double dot = r[i] * r[j] + r[3 + i] * r[3 + j] + r[6 + i] * r[6 + j];
            check_close(i == j ? 1.0 : 0.0, dot, 4e-16);
        }
    }
}

TEST(inertia_has_three_six_or_nine_numbers)
{
    const char *const same[] = {"[1, 2, 3]", "[1, 2, 3, 0, 0, 0]",
                                "[[1, 0, 0], [0, 2, 0], [0, 0, 3]]"};
    for (int k = 0; k < 3; k++) {
        char file[256];
        (void)snprintf(file, sizeof file, "bodies: {name: a, inertia: %s}\n", same[k]);
        olo_model *model = read_good(file);
        const olo_body *body = element(model, &olo_element_body, 0);
        for (int i = 0; i < 9; i++)
            check_close(i % 4 == 0 ? 1.0 + i / 4 : 0.0, body->inertia[i], 0.0);
        olo_model_free(model);
    }
}

TEST(planes_have_names_or_normals_and_xy_shortens_vectors)
{
    olo_model *model = read_good("gravity: [1, -9.81]\nplane: xy\n"
                                 "points: {name: a, mass: 1, position: [3, 4]}\n");
    check_vector(0, 0, 1, model->plane);
    check_vector(1, -9.81, 0, model->gravity);
    check_vector(3, 4, 0, ((const olo_point *)element(model, &olo_element_point, 0))->position);
    olo_model_free(model);
    model = read_good("plane: xz\n");
    check_vector(0, 1, 0, model->plane);
    olo_model_free(model);
    model = read_good("plane: [0, 3, 4]\n");
    check_vector(0, 0.6, 0.8, model->plane);
    olo_model_free(model);
    check_refused("plane: yz\ngravity: [1, 2]\n", "m.yaml:2:10: gravity: expected a list of 3");
}

TEST(json_is_yaml)
{
    olo_model *model = read_good("{\"name\": \"j\", \"parameters\": {\"k\": \"2*3\"},\n"
                                 " \"points\": [{\"name\": \"a\", \"mass\": \"k\",\n"
                                 "              \"position\": [0, 0, 0]}]}");
    check_close(6.0, ((const olo_point *)element(model, &olo_element_point, 0))->mass, 0.0);
    olo_model_free(model);
}

TEST(aliases_stand_for_what_they_name)
{
    olo_model *model = read_good("points:\n  - {name: a, mass: 1, position: &p [1, 2, 3]}\n"
                                 "  - {name: b, mass: 1, position: *p}\n");
    check_vector(1, 2, 3, ((const olo_point *)element(model, &olo_element_point, 1))->position);
    olo_model_free(model);
}

TEST(a_byte_order_mark_and_dos_lines_are_fine)
{
    olo_model *model = read_good("\xEF\xBB\xBFname: dos\r\nunits: SI\r\n");
    check_text("dos", olo_model_name(model));
    check_text("SI", olo_model_units(model));
    olo_model_free(model);
}

TEST(a_model_without_name_has_that_of_its_file)
{
    olo_model *model = NULL;
    check_ok(olo_model_read_text("{}", 2, "dir.d/heavy-top.v2.yaml", NULL, 0, &model, NULL), NULL);
    check_text("heavy-top", olo_model_name(model));
    olo_model_free(model);
    check_ok(olo_model_read_text("{}", 2, "3 tops.yaml", NULL, 0, &model, NULL), NULL);
    check_text("model", olo_model_name(model));
    olo_model_free(model);
}

/* Marks --------------------------------------------------------------------------------------- */

static void check_location(const olo_model *model, const char *name, const char *key,
                           const char *expected)
{
    char text[256];
    olo_entry_locate(model, entry(model, name), key, text, sizeof text);
    check_text(expected, text);
}

TEST(locations_name_file_line_column_and_path)
{
    olo_model *model = read_good(every_key);
    check_location(model, "top", "inertia", "m.yaml:16:14: bodies[0].inertia");
    check_location(model, "top", NULL, "m.yaml:13:5: bodies[0]");
    check_location(model, "brick", "mass", "m.yaml:24:5: bodies[1].mass"); // not given
    check_location(model, "rod1", "length", "m.yaml:31:33: rods.length");
    check_location(model, "b", "mass", "m.yaml:11:21: points[1].mass");
    char text[256];
    olo_model_locate(model, "gravity", text, sizeof text);
    check_text("m.yaml:8:10: gravity", text);
    olo_model_locate(model, "plane", text, sizeof text);
    check_text("m.yaml: plane", text);
    olo_model_free(model);
}

TEST(locations_in_code_name_the_element)
{
    olo_model *model = NULL;
    olo_error error = {0};
    check_ok(olo_model_create("coded", &model, &error), &error);
    olo_body body = olo_body_default();
    body.name = "top";
    check_ok(olo_model_add_body(model, &body, &error), &error);
    check_location(model, "top", "inertia", "body 'top': inertia");
    check_location(model, "top", NULL, "body 'top'");
    char text[256];
    olo_model_locate(model, "gravity", text, sizeof text);
    check_text("model 'coded': gravity", text);
    olo_model_free(model);
}

TEST(what_is_found_wrong_while_building_is_located)
{
    olo_error error = {0};
    olo_system *system = NULL;
    olo_model *model = read_good("bodies: {name: top, mass: 1, inertia: [1, 1, 1]}\n"
                                 "springs:\n"
                                 "  - {between: [top, [0, 0, 1]], stiffness: 1}\n"
                                 "  - {between: [topp, [0, 0, 1]], stiffness: 1}\n");
    check_true(olo_model_compile(model, &system, &error) != OLO_OK);
    check_contains("m.yaml:4:15: springs[1].between: ", error.text);
    check_true(system == NULL);
    olo_model_free(model);

    model = read_good("points: {name: a, mass: 1, position: [0, 0, 0]}\n");
    olo_model_set_gravity(model, (const double[3]){0, 0, (double)NAN});
    check_status(OLO_BAD_INPUT, olo_model_compile(model, &system, &error));
    check_text("m.yaml: gravity: is not a finite number", error.text);
    olo_model_free(model);
}

/* Settings ------------------------------------------------------------------------------------ */

TEST(settings_override_parameters_and_options)
{
    const olo_setting settings[] = {{"H", "0.2"},
                                    {"H", "4*R"},
                                    {"run.step", "R/5"},
                                    {"run.constraints", "reduced"},
                                    {"run.forces", "false"}};
    olo_model *model = NULL;
    olo_error error = {0};
    check_ok(read_with(every_key, settings, 5, &model, &error), &error);
    check_close(0.2, olo_model_parameter(model, "H"), 0.0);
    check_close(0.75 * 0.2, olo_model_parameter(model, "L"), 0.0);
    check_close(0.01, olo_model_run(model)->step, 1e-18);
    check_text("reduced", olo_model_run(model)->constraints);
    check_true(!olo_model_run(model)->forces);
    const olo_body *top = element(model, &olo_element_body, 0);
    check_close(0.2, top->points[0].at[2], 0.0);
    olo_model_free(model);
}

static void check_setting_refused(const char *name, const char *value, const char *part)
{
    const olo_setting setting = {name, value};
    olo_model *model = NULL;
    olo_error error = {0};
    check_status(OLO_BAD_INPUT, read_with(every_key, &setting, 1, &model, &error));
    check_contains(part, error.text);
}

TEST(wrong_settings_are_named)
{
    check_setting_refused("r", "1", "m.yaml: setting 'r=1': there is no parameter 'r'");
    check_setting_refused("step", "1", "did you mean 'run.step'?");
    check_setting_refused("H", "2*", "m.yaml: setting 'H=2*': expected a value at column 3");
    check_setting_refused("H", "1/0", "setting 'H=1/0': ");
    check_setting_refused("R", "1e35", "setting 'R=1e35': '1e35' is too large");
    check_setting_refused("run.stp", "1", "unknown option of a run, did you mean 'run.step'?");
    check_setting_refused("run.step", "-1", "setting 'run.step=-1': must be above 0");
    check_setting_refused(
        "run.scheme", "rk4",
        "expected energy-momentum-2006, energy-momentum, variational, contact, "
        "contact-captured, contact-two-step, contact-one-step or moreau, got 'rk4'");
    check_setting_refused(NULL, "1", "no name");
}

/* Models made in code ------------------------------------------------------------------------- */

TEST(everything_added_is_copied)
{
    olo_model *model = NULL;
    olo_error error = {0};
    check_ok(olo_model_create("coded", &model, &error), &error);
    char name[] = "load", on[] = "a", type[] = "sphere";
    double time[] = {0, 1}, value[] = {2, 3};
    olo_load load = olo_load_default();
    load.name = name;
    load.on.on = on;
    olo_signal signal = olo_signal_default();
    signal.time = time;
    signal.value = value;
    signal.count = 2;
    load.signal = &signal;
    check_ok(olo_model_add_load(model, &load, &error), &error);
    olo_shape shape = olo_shape_default();
    shape.type = type;
    olo_body body = olo_body_default();
    body.name = "ball";
    body.shapes = &shape;
    body.shape_count = 1;
    check_ok(olo_model_add_body(model, &body, &error), &error);
    name[0] = on[0] = type[0] = '?';
    time[1] = value[1] = shape.radius = -7;
    signal.count = 0;
    const olo_load *stored = element(model, &olo_element_load, 0);
    check_text("load", stored->name);
    check_text("a", stored->on.on);
    check_close(1.0, stored->signal->time[1], 0.0);
    check_close(3.0, stored->signal->value[1], 0.0);
    check_text("sphere", ((const olo_body *)element(model, &olo_element_body, 0))->shapes[0].type);
    olo_model_free(model);
}

TEST(elements_in_code_are_checked)
{
    olo_model *model = NULL;
    olo_error error = {0};
    check_status(OLO_BAD_INPUT, olo_model_create("not a name", &model, &error));
    check_ok(olo_model_create("coded", &model, &error), &error);
    olo_point point = olo_point_default();
    check_status(OLO_BAD_INPUT, olo_model_add_point(model, &point, &error));
    check_contains("a point needs a name", error.text);
    point.name = "a";
    point.mass = (double)INFINITY;
    check_status(OLO_BAD_INPUT, olo_model_add_point(model, &point, &error));
    check_text("point 'a': mass: is not a finite number", error.text);
    point.mass = 1;
    check_ok(olo_model_add_point(model, &point, &error), &error);
    check_status(OLO_BAD_INPUT, olo_model_add_point(model, &point, &error));
    check_text("point 'a': name: the name 'a' is taken by a point", error.text);
    olo_spring spring = olo_spring_default();
    check_ok(olo_model_add_spring(model, &spring, &error), &error); // unset length is no error
    spring.type = "rubber";
    check_status(OLO_BAD_INPUT, olo_model_add_spring(model, &spring, &error));
    check_text("spring 'spring2': type: expected distance or linear, got 'rubber'", error.text);
    spring = olo_spring_default();
    spring.name = "spring2";
    check_ok(olo_model_add_spring(model, &spring, &error), &error);
    spring.name = NULL;
    check_ok(olo_model_add_spring(model, &spring, &error), &error);
    check_text("spring3", ((const olo_spring *)element(model, &olo_element_spring, 2))->name);
    olo_run run = olo_run_default();
    run.step = (double)NAN;
    check_status(OLO_BAD_INPUT, olo_model_set_run(model, &run, &error));
    check_contains("run.step", error.text);
    check_ok(olo_model_set_parameter(model, "k", 2, &error), &error);
    check_ok(olo_model_set_parameter(model, "k", 3, &error), &error);
    check_close(3.0, olo_model_parameter(model, "k"), 0.0);
    check_status(OLO_BAD_INPUT, olo_model_set_parameter(model, "k", 1e40, &error));
    check_status(OLO_BAD_INPUT, olo_model_set_parameter(model, "2k", 1, &error));
    check_text("", olo_model_text(model));
    olo_model_free(model);
}

/* Files and the catalogue --------------------------------------------------------------------- */

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    check_true(file != NULL);
    (void)fputs(text, file);
    (void)fclose(file);
}

TEST(the_catalogue_lists_and_reads_models_by_name)
{
    char directory[] = "/tmp/oloid-catalogue-XXXXXX", path[96], other[96];
    check_true(mkdtemp(directory) != NULL);
    (void)snprintf(path, sizeof path, "%s/heavy-topic.yaml", directory);
    (void)snprintf(other, sizeof other, "%s/a-model.yaml", directory);
    write_file(path, "units: furlongs\n");
    write_file(other, "units: [1]\n");
    const char *before = getenv("OLOID_MODELS");
    char saved[PATH_MAX] = "";
    (void)snprintf(saved, sizeof saved, "%s", before != NULL ? before : "");
    check_equal(0, setenv("OLOID_MODELS", directory, 1));

    olo_catalogue *catalogue = NULL;
    olo_error error = {0};
    check_ok(olo_catalogue_open(&catalogue, &error), &error);
    check_true(olo_catalogue_count(catalogue) >= 2);
    for (int i = 1; i < olo_catalogue_count(catalogue); i++) {
        const char *previous = olo_catalogue_name(catalogue, i - 1);
        check_true(strcmp(previous, olo_catalogue_name(catalogue, i)) < 0);
    }
    olo_catalogue_free(catalogue);

    olo_model *model = NULL;
    check_ok(olo_model_read("heavy-topic", NULL, 0, &model, &error), &error);
    check_text("heavy-topic", olo_model_name(model));
    check_text("furlongs", olo_model_units(model));
    olo_model_free(model);
    check_status(OLO_NOT_FOUND, olo_model_read("heavy-tpoic", NULL, 0, &model, &error));
    check_text("'heavy-tpoic' is neither a file nor a model of the catalogue, did you mean "
               "'heavy-topic'?",
               error.text);
    check_status(OLO_BAD_INPUT, olo_model_read("a-model", NULL, 0, &model, &error));
    check_contains("/a-model.yaml:1:8: units: expected a text", error.text);
    check_status(OLO_NOT_FOUND, olo_model_read("/nowhere/at.yaml", NULL, 0, &model, &error));
    check_status(OLO_IO, olo_model_read(directory, NULL, 0, &model, &error));
    check_contains("is a directory", error.text);
    check_true(model == NULL);

    (void)unlink(path);
    (void)unlink(other);
    (void)rmdir(directory);
    check_status(OLO_IO, olo_catalogue_open(&catalogue, &error));
    check_equal(0, saved[0] != '\0' ? setenv("OLOID_MODELS", saved, 1) : unsetenv("OLOID_MODELS"));
}

/* Malformed files ----------------------------------------------------------------------------- */

/* "# expect: part; line: 7" */
static int read_expectation(const char *path, char *part, size_t size)
{
    char line[512];
    FILE *file = fopen(path, "r");
    check_true(file != NULL && fgets(line, sizeof line, file) != NULL);
    (void)fclose(file);
    char *end = strstr(line, "; line: ");
    check_true(strncmp(line, "# expect: ", 10) == 0 && end != NULL);
    *end = '\0';
    (void)snprintf(part, size, "%s", line + 10);
    return atoi(end + 8);
}

/* Reads, compiles and assembles a model, until something fails. */
static olo_status prepare(const char *path, olo_error *error)
{
    olo_model *model = NULL;
    olo_system *system = NULL;
    olo_state *start = NULL;
    olo_status status = olo_model_read(path, NULL, 0, &model, error);
    if (status == OLO_OK)
        status = olo_model_compile(model, &system, error);
    if (status == OLO_OK)
        status = olo_system_create_initial_state(system, &start, NULL, error);
    olo_state_free(start);
    olo_system_free(system);
    olo_model_free(model);
    return status;
}

/* Whether a file is refused with the message in its first line; line 0 stands for the file as a
 * whole. */
static bool is_refused_as_expected(const char *path)
{
    char part[512], location[2 * PATH_MAX + 32];
    const int line = read_expectation(path, part, sizeof part);
    (void)snprintf(location, sizeof location, line > 0 ? "%s:%d:" : "%s: ", path, line);
    olo_error error = {0};
    const olo_status status = prepare(path, &error);
    const bool as_expected =
        olo_status_exit_code(status) == 2 && strstr(error.text, part) != NULL &&
        strncmp(error.text, location, strlen(location)) == 0 && strchr(error.text, '\n') == NULL;
    if (!as_expected) {
        print_error("%s\n  expected  line %d, %s\n  got       %s: %s\n", path, line, part,
                    olo_status_name(status), error.text);
    }
    return as_expected;
}

TEST(every_malformed_file_is_refused_with_its_reason_and_line)
{
    DIR *entries = opendir(PROJECT "/tests/malformed");
    check_true(entries != NULL);
    int count = 0, wrong = 0;
    for (const struct dirent *e = readdir(entries); e != NULL; e = readdir(entries)) {
        if (strstr(e->d_name, ".yaml") != NULL) {
            char path[PATH_MAX];
            (void)snprintf(path, sizeof path, PROJECT "/tests/malformed/%s", e->d_name);
            wrong += !is_refused_as_expected(path);
            count++;
        }
    }
    (void)closedir(entries);
    check_equal(0, wrong);
    check_true(count >= 200);
}

/* The page about the format ------------------------------------------------------------------- */

/* The text of a file; the caller frees it. */
static char *text_of(const char *path)
{
    char *text = NULL;
    size_t size = 0;
    olo_error error = {0};
    check_ok(olo_source_read(path, &text, &size, &error), &error);
    return text;
}

TEST(every_example_of_the_format_page_is_read)
{
    static const char begin[] = "```yaml\n", end[] = "```";
    char *page = text_of(PROJECT "/docs/model-format.md");
    int count = 0;
    for (char *at = strstr(page, begin); at != NULL; at = strstr(at, begin), count++) {
        at += strlen(begin);
        char *stop = strstr(at, end);
        check_true(stop != NULL);
        if (stop == NULL) {
            break; // not reached, because a failed check does not return; the compiler does not
                   // know this
        }
        *stop = '\0';
        olo_model_free(read_good(at));
        at = stop + 1;
    }
    olo_free(page);
    check_true(count > 10);
}

TEST(limits_hold)
{
    // one value more than a file may have
    const size_t values = OLO_YAML_MAX_NODES, size = 2 * values + 32;
    char *text = olo_alloc(size, 1);
    strcpy(text, "gravity: [");
    for (size_t i = 0, at = strlen(text); i < values; i++, at += 2)
        memcpy(text + at, "1,", 2);
    strcat(text, "]");
    check_refused(text, "more than 200000 values in one file");
    olo_free(text);

    // one byte more than a file may have
    text = olo_alloc(OLO_YAML_MAX_SIZE + 2, 1);
    memset(text, '#', OLO_YAML_MAX_SIZE + 1);
    check_refused(text, "larger than 16 MiB");
    olo_free(text);
}

TEST(messages_of_any_length_are_one_line)
{
    char text[1000];
    memset(text, 'x', sizeof text);
    memcpy(text, "\"a\\nb", 5);
    strcpy(text + sizeof text - 10, "\": 1\n");
    check_refused(text, "unknown section 'a bxxx");
}

/* Mutations and memory ------------------------------------------------------------------------ */

static uint64_t random_state;

static size_t random_below(size_t bound)
{
    // xorshift64, Marsaglia 2003
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (size_t)(random_state % bound);
}

static size_t mutate(char *text, size_t size)
{
    static const char interesting[] = "[]{}:,&*!#|>'\"%@`-? \t\n\r\\0159.e+x\0\xC3\xFF";
    const size_t at = random_below(size), kind = random_below(4);
    if (kind == 0) {
        text[at] = (char)(text[at] ^ (char)(1U << random_below(8)));
    } else if (kind == 1) {
        text[at] = interesting[random_below(sizeof interesting)];
    } else {
        // delete a piece
        const size_t length = 1 + random_below(kind == 2 ? 1 : 20);
        const size_t gone = length < size - at ? length : size - at;
        memmove(text + at, text + at + gone, size - at - gone);
        size -= gone;
    }
    return size;
}

TEST(mutated_files_are_read_or_refused_but_never_harm)
{
    random_state = UINT64_C(0x9E3779B97F4A7C15);
    const size_t alive = olo_memory_alive();
    int good = 0;
    for (int i = 0; i < 4000; i++) {
        size_t size = sizeof every_key - 1;
        char *text = olo_alloc(size, 1);
        memcpy(text, every_key, size);
        const size_t changes = 1 + random_below(3); // so that some files remain valid
        for (size_t k = 0; k < changes && size > 1; k++)
            size = mutate(text, size);
        // the end of the text is the end of the block
        char *exact = olo_realloc(text, size, size, 1);
        olo_model *model = NULL;
        olo_error error = {0};
        const olo_status status =
            olo_model_read_text(exact, size, "m.yaml", NULL, 0, &model, &error);
        if (status == OLO_OK) {
            good++;
        } else {
            check_status(OLO_BAD_INPUT, status);
            check_contains("m.yaml", error.text);
            check_true(strchr(error.text, '\n') == NULL);
        }
        olo_model_free(model);
        olo_free(exact);
        check_equal(alive, olo_memory_alive());
    }
    check_true(good > 100 && good < 3900);
}

TEST(running_out_of_memory_anywhere_is_reported_and_leaks_nothing)
{
    const olo_setting settings[] = {{"H", "4*R"}, {"run.step", "R/5"}};
    const size_t alive = olo_memory_alive();
    for (size_t n = 1;; n++) {
        olo_model *model = NULL;
        olo_error error = {0};
        olo_memory_fail_at(n);
        const olo_status status = read_with(every_key, settings, 2, &model, &error);
        olo_memory_fail_at(0);
        olo_model_free(model);
        check_equal(alive, olo_memory_alive());
        if (status == OLO_OK) {
            check_true(n > 200);
            break;
        }
        check_status(OLO_NO_MEMORY, status);
        check_status(OLO_NO_MEMORY, error.status);
    }
}

TEST(running_out_of_memory_in_the_catalogue_leaks_nothing)
{
    const size_t alive = olo_memory_alive();
    olo_status status = OLO_NO_MEMORY;
    for (size_t n = 1; status != OLO_OK; n++) {
        olo_catalogue *catalogue = NULL;
        olo_memory_fail_at(n);
        status = olo_catalogue_open(&catalogue, NULL);
        olo_memory_fail_at(0);
        olo_catalogue_free(catalogue);
        check_equal(alive, olo_memory_alive());
        check_true(status == OLO_OK || status == OLO_NO_MEMORY);
    }
}

TEST_MAIN(cmocka_unit_test(sections_of_the_model_are_read),
          cmocka_unit_test(points_and_bodies_are_read),
          cmocka_unit_test(connections_and_loads_are_read),
          cmocka_unit_test(rotations_can_be_written_in_four_ways_and_as_lists),
          cmocka_unit_test(nearly_orthonormal_matrices_are_made_orthonormal),
          cmocka_unit_test(inertia_has_three_six_or_nine_numbers),
          cmocka_unit_test(planes_have_names_or_normals_and_xy_shortens_vectors),
          cmocka_unit_test(json_is_yaml), cmocka_unit_test(aliases_stand_for_what_they_name),
          cmocka_unit_test(a_byte_order_mark_and_dos_lines_are_fine),
          cmocka_unit_test(a_model_without_name_has_that_of_its_file),
          cmocka_unit_test(locations_name_file_line_column_and_path),
          cmocka_unit_test(locations_in_code_name_the_element),
          cmocka_unit_test(what_is_found_wrong_while_building_is_located),
          cmocka_unit_test(settings_override_parameters_and_options),
          cmocka_unit_test(wrong_settings_are_named), cmocka_unit_test(everything_added_is_copied),
          cmocka_unit_test(elements_in_code_are_checked),
          cmocka_unit_test(the_catalogue_lists_and_reads_models_by_name),
          cmocka_unit_test(every_malformed_file_is_refused_with_its_reason_and_line),
          cmocka_unit_test(every_example_of_the_format_page_is_read), cmocka_unit_test(limits_hold),
          cmocka_unit_test(messages_of_any_length_are_one_line),
          cmocka_unit_test(mutated_files_are_read_or_refused_but_never_harm),
          cmocka_unit_test(running_out_of_memory_anywhere_is_reported_and_leaks_nothing),
          cmocka_unit_test(running_out_of_memory_in_the_catalogue_leaks_nothing))
