/* Repetition in model files: copies, the use of the variable, messages, limits, speed. */
#include <time.h>

#include "reading.h"

#include "base/memory.h"

static const olo_entry_list *list(const olo_model *model, const olo_element_type *type)
{
    int i = 0;
    while (olo_element_types[i] != type)
        i++;
    return &model->lists[i];
}

static const void *named(const olo_model *model, const char *name)
{
    const olo_entry *entry = olo_names_find(&model->names, name);
    check_true(entry != NULL);
    return entry->element;
}

/* One definition of every kind of element. */
static const char chain[] =
    "parameters: {n: 4, L: 0.5}\n"
    "points:\n"
    "  - {name: \"p{i}\", repeat: {i: [1, n]}, mass: i, position: [i*L, 0, 0]}\n"
    "  - {name: \"r{i}\", repeat: {i: [2, n]}, mass: 1, position: [L, 0, 0], relative_to: "
    "\"p{i}\"}\n"
    "bodies:\n"
    "  - name: b{i}\n"
    "    repeat: {i: [1, n]}\n"
    "    mass: 0.1 + i\n"
    "    position: [(i - 1)*L, 0, 0]\n"
    "    rotation: {axis: [0, 0, 1], angle: i*pi/2}\n"
    "    inertia: [[i, 0, 0], [0, i, 0], [0, 0, i]]\n"
    "    shapes:\n"
    "      - {type: box, size: [L, L, i*L], mass: 2*i}\n"
    "      - {type: tetrahedron, density: 1, vertices: [[0, 0, 0], [i, 0, 0], [0, 1, 0], [0, 0, "
    "1]]}\n"
    "    points: {\"end{i}\": [i, 0, 0], mid: [i/2, 0, 0]}\n"
    "rods: {name: \"rod{i}\", repeat: {i: [2, n]}, between: [\"p{i - 1}\", \"p{i}\"]}\n"
    "springs: {repeat: {i: [1, 2]}, between: [\"p{i}\", {on: \"b{i}\", at: [0, i, 0]}],\n"
    "          energy: 1e3*i*(l - i*L)^2 + 0*1e-1}\n"
    "dampers: {name: \"d{i}\", repeat: {i: [1, 2]}, between: [\"b{i}.end{i}\", [i, 0, 0]], "
    "damping: i}\n"
    "supports: {name: \"s{i}\", repeat: {i: [n, n]}, on: \"b{i}\", type: plane, axis: [0, 0, i]}\n"
    "joints: {name: \"j{i}\", repeat: {i: [2, n]}, type: spherical, between: [\"b{i-1}\", "
    "\"b{i}\"]}\n"
    "loads:\n"
    "  - {name: \"f{i}\", repeat: {i: [1, n]}, on: \"b{i}\", force: [i, 0, 0], time: sin(i*t) + "
    "i}\n"
    "  - {name: \"t{i}\", repeat: {i: [1, n]}, on: \"b{i}\", time: {time: [0, i], value: [i, 1]}}\n"
    "outputs: {name: \"o{i}\", repeat: {i: [1, n]}, on: \"b{i}.mid\"}\n";

TEST(every_kind_of_element_can_be_copied)
{
    olo_model *model = read_good(chain);
    check_equal(7, list(model, &olo_element_point)->count);
    check_equal(4, list(model, &olo_element_body)->count);
    check_equal(3, list(model, &olo_element_rod)->count);
    check_equal(2, list(model, &olo_element_spring)->count);
    check_equal(2, list(model, &olo_element_damper)->count);
    check_equal(1, list(model, &olo_element_support)->count);
    check_equal(3, list(model, &olo_element_joint)->count);
    check_equal(8, list(model, &olo_element_load)->count);
    check_equal(4, list(model, &olo_element_output)->count);
    olo_model_free(model);
}

TEST(expressions_of_a_copy_know_the_variable)
{
    olo_model *model = read_good(chain);
    for (int i = 1; i <= 4; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "b%d", i);
        const olo_body *body = named(model, name);
        check_close(0.1 + i, body->mass, 1e-15);
        check_close((i - 1) * 0.5, body->position[0], 1e-15);
        check_close(sin(i * acos(-1.0) / 2), body->rotation[3], 1e-15);
        check_close(i, body->inertia[8], 0);
        check_equal(2, body->shape_count);
        check_close(i * 0.5, body->shapes[0].size[2], 0);
        check_close(2 * i, body->shapes[0].mass, 0);
        check_close(i, body->shapes[1].vertices[1][0], 0);
        (void)snprintf(name, sizeof name, "end%d", i);
        check_text(name, body->points[0].name);
        check_close(i, body->points[0].at[0], 0);
        check_close(i / 2.0, body->points[1].at[0], 0);
    }
    const olo_load *table = named(model, "t3");
    check_close(3, table->signal->time[1], 0);
    check_close(3, table->signal->value[0], 0);
    olo_model_free(model);
}

TEST(texts_of_a_copy_have_its_numbers)
{
    olo_model *model = read_good(chain);
    const olo_rod *rod = named(model, "rod3");
    check_text("p2", rod->between[0].on);
    check_text("p3", rod->between[1].on);
    const olo_joint *joint = named(model, "j4");
    check_text("b3", joint->between[0].on);
    check_text("b4", joint->between[1].on);
    const olo_damper *damper = named(model, "d2");
    check_text("b2.end2", damper->between[0].on);
    check_close(2, damper->between[1].at[0], 0);
    const olo_point *relative = named(model, "r3");
    check_text("p3", relative->relative_to);
    const olo_output *output = named(model, "o4");
    check_text("b4.mid", output->on.on);
    // elements without a name are named after their kind
    const olo_spring *spring = named(model, "spring2");
    check_text("b2", spring->between[1].on);
    check_close(2, spring->between[1].at[1], 0);
    olo_model_free(model);
}

/* Functions of t and l are stored as text: the variable is replaced, but not its letter in other
 * names. */
TEST(functions_that_are_stored_know_the_variable)
{
    olo_model *model = read_good(chain);
    const olo_load *load = named(model, "f3");
    check_text("sin((3)*t) + (3)", load->signal->expression);
    const olo_spring *spring = named(model, "spring2");
    check_text("1e3*(2)*(l - (2)*L)^2 + 0*1e-1", spring->energy);
    olo_model_free(model);
    model = read_good("bodies: {name: b, mass: 1}\n"
                      "loads: {name: \"f{e0}\", repeat: {e0: [-1, -1]}, on: b, force: [1, 0, 0],\n"
                      "        time: 1e0*e0^2 + exp(e0) + 2.5e0}\n");
    load = list(model, &olo_element_load)->items[0]->element;
    check_text("1e0*(-1)^2 + exp((-1)) + 2.5e0", load->signal->expression);
    olo_model_free(model);
}

TEST(bounds_are_expressions_and_may_be_empty)
{
    const char text[] =
        "parameters: {n: 3}\n"
        "points:\n"
        "  - {name: fixed, mass: 1, position: [0, 0, 0]}\n"
        "  - {name: \"p{i + 10}\", repeat: {i: [n - 4, 2*n]}, mass: 1, position: [i, 0, 0]}\n";
    olo_model *model = read_good(text);
    check_equal(1 + 8, list(model, &olo_element_point)->count);
    const olo_point *first = named(model, "p9"), *last = named(model, "p16");
    check_close(-1, first->position[0], 0);
    check_close(6, last->position[0], 0);
    olo_model_free(model);
    const olo_setting none = {"n", "-5"};
    olo_error error = {0};
    check_ok(read_with(text, &none, 1, &model, &error), &error);
    check_equal(1, list(model, &olo_element_point)->count);
    olo_model_free(model);
}

TEST(several_variables_make_a_grid)
{
    olo_model *model =
        read_good("points: {name: \"p{i}-{j}\", repeat: {i: [1, 2], j: [1, 3]}, mass: 1,\n"
                  "         position: [i, j, 0]}\n");
    const olo_entry_list *points = list(model, &olo_element_point);
    check_equal(6, points->count);
    check_text("p1-1", olo_entry_name(points->items[0]));
    check_text("p1-2", olo_entry_name(points->items[1]));
    check_text("p2-3", olo_entry_name(points->items[5]));
    olo_model_free(model);
}

/* The variable of a repeated element is not known after it, and another one may have its name. */
TEST(the_variable_is_known_to_its_element_only)
{
    check_refused("points:\n"
                  "  - {name: \"p{i}\", repeat: {i: [1, 2]}, mass: i, position: [0, 0, 0]}\n"
                  "  - {name: q, mass: i, position: [0, 0, 0]}\n",
                  "m.yaml:3:21: points[1].mass: unknown name 'i'");
    olo_model *model =
        read_good("points:\n"
                  "  - {name: \"p{i}\", repeat: {i: [1, 2]}, mass: i, position: [0, 0, 0]}\n"
                  "  - {name: \"q{i}\", repeat: {i: [5, 6]}, mass: i, position: [0, 0, 0]}\n");
    const olo_point *point = named(model, "q6");
    check_close(6, point->mass, 0);
    olo_model_free(model);
}

TEST(messages_name_the_copy)
{
    check_refused("points:\n"
                  "  - name: p{i}\n"
                  "    repeat: {i: [0, 3]}\n"
                  "    mass: 1/(i - 2)\n"
                  "    position: [0, 0, 0]\n",
                  "m.yaml:4:11: points[0]{i=2}.mass: '1/(i - 2)' is not a finite number");
    check_refused("points:\n"
                  "  - name: p{i/2}\n"
                  "    repeat: {i: [2, 3]}\n"
                  "    mass: 1\n"
                  "    position: [0, 0, 0]\n",
                  "m.yaml:2:11: points[0]{i=3}.name: {i/2} is 1.5, not an integer");
    check_refused(
        "points: {name: p, repeat: {i: [1, 2]}, mass: 1, position: [0, 0, 0]}\n",
        "m.yaml:1:16: points{i=2}.name: the name 'p' is taken by a point (points{i=1}, line 1)");
    check_refused(
        "points: {name: \"p{i}\", repeat: {i: [1, 2], j: [3, 4]}, mass: 1, positio: [0, 0, 0]}\n",
        "points{i=1,j=3}: unknown key 'positio', did you mean 'position'?");
    check_refused("points: {name: \"p{i\", repeat: {i: [1, 2]}, mass: 1, position: [0, 0, 0]}\n",
                  "points{i=1}.name: '{' without '}'");
    check_refused("points: {name: \"p{k}\", repeat: {i: [1, 2]}, mass: 1, position: [0, 0, 0]}\n",
                  "points{i=1}.name: unknown name 'k'");
    check_refused("points: {name: \"p{i}\", mass: 1, position: [0, 0, 0]}\n",
                  "points.name: 'p{i}' is not a name");
}

/* Errors of the compilation name the copy, too. */
TEST(messages_of_the_compiler_name_the_copy)
{
    olo_model *model =
        read_good("bodies: {name: \"b{i}\", repeat: {i: [1, 3]}, mass: 1, inertia: [1, 1, i]}\n");
    olo_system *system = NULL;
    olo_error error = {0};
    check_status(OLO_BAD_INPUT, olo_model_compile(model, &system, &error));
    check_contains("m.yaml:1:63: bodies{i=3}.inertia: ", error.text);
    olo_model_free(model);
}

TEST(wrong_repetitions_are_refused)
{
    const char *const cases[][2] = {
        {"3",
         "points.repeat: expected a map of a variable to its bounds, {i: [first, last]}, got '3'"},
        {"{}", "expected a map of a variable to its bounds"},
        {"{i: 3}", "points.repeat.i: expected the bounds [first, last], got '3'"},
        {"{i: [1, 2, 3]}", "expected the bounds [first, last], got a list of 3"},
        {"{i: [1, 2.5]}", "points.repeat.i[1]: expected an integer, got 2.5"},
        {"{i: [1, m]}", "points.repeat.i[1]: unknown name 'm'"},
        {"{n: [1, 2]}", "points.repeat: the model has a parameter 'n', too; rename one"},
        {"{t: [1, 2]}", "'t' cannot be the name of a variable"},
        {"{l: [1, 2]}", "'l' cannot be the name of a variable"},
        {"{pi: [1, 2]}", "'pi' cannot be the name of a variable"},
        {"{1a: [1, 2]}", "'1a' cannot be the name of a variable"},
        {"{i: [1, 100001]}", "points.repeat: more than 100000 repeated elements in the file"},
        {"{i: [-1e15, 1e15], j: [-1e15, 1e15]}", "more than 100000 repeated elements"},
        {"{i: [1, 2], j: [1, 2], k: [1, 2], m: [1, 2]}", "expected a map of a variable"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        (void)snprintf(text, sizeof text,
                       "parameters: {n: 2}\n"
                       "points: {name: p, mass: 1, position: [0, 0, 0], repeat: %s}\n",
                       cases[i][0]);
        check_refused(text, cases[i][1]);
    }
}

TEST(copies_of_all_elements_count_together)
{
    check_refused("points:\n"
                  "  - {name: \"p{i}\", repeat: {i: [1, 60000]}, mass: 1, position: [0, 0, 0]}\n"
                  "  - {name: \"q{i}\", repeat: {i: [1, 60000]}, mass: 1, position: [0, 0, 0]}\n",
                  "points[1].repeat: more than 100000 repeated elements in the file");
}

/* Only elements have the key `repeat`; elsewhere it is unknown. */
TEST(parts_of_an_element_cannot_be_copied)
{
    check_refused(
        "bodies: {name: b, shapes: {type: sphere, radius: 1, mass: 1, repeat: {i: [1, 2]}}}\n",
        "bodies.shapes: unknown key 'repeat'");
}

TEST(ten_thousand_bodies_and_joints_are_read_in_a_moment)
{
    const char text[] = "parameters: {n: 10000, L: 0.1}\n"
                        "bodies:\n"
                        "  - name: link{i}\n"
                        "    repeat: {i: [1, n]}\n"
                        "    mass: 0.1*(1 + i/n)\n"
                        "    center: [L/2, 0, 0]\n"
                        "    inertia: [1e-5, L^2/12, L^2/12]\n"
                        "    position: [(i - 1)*L, 0, 0]\n"
                        "    angular_velocity: [0, sin(i), cos(i)]\n"
                        "joints:\n"
                        "  - name: hinge{i}\n"
                        "    repeat: {i: [2, n]}\n"
                        "    between: [\"link{i - 1}\", \"link{i}\"]\n"
                        "    at: [(i - 1)*L, 0, 0]\n"
                        "    axis: [0, \"mod(i, 2)\", \"1 - mod(i, 2)\"]\n";
    const clock_t before = clock();
    olo_model *model = read_good(text);
    const double seconds = (double)(clock() - before) / CLOCKS_PER_SEC;
    check_equal(10000, list(model, &olo_element_body)->count);
    check_equal(9999, list(model, &olo_element_joint)->count);
    const olo_joint *last = named(model, "hinge10000");
    check_text("link9999", last->between[0].on);
    check_close(9999 * 0.1, last->at[0], 1e-12);
    olo_model_free(model);
    check_below(seconds,
                1.0); // it takes a tenth of this; slower machines and sanitizers take longer
}

TEST(no_leak_when_memory_runs_out)
{
    const size_t alive = olo_memory_alive();
    size_t n = 1;
    for (;; n++) {
        olo_model *model = NULL;
        olo_error error = {0};
        olo_memory_fail_at(n);
        const olo_status status = read_with(chain, NULL, 0, &model, &error);
        olo_memory_fail_at(0);
        olo_model_free(model);
        check_equal(alive, olo_memory_alive());
        if (status == OLO_OK)
            break;
        check_status(OLO_NO_MEMORY, status);
    }
    check_true(n > 100);
}

TEST_MAIN(cmocka_unit_test(every_kind_of_element_can_be_copied),
          cmocka_unit_test(expressions_of_a_copy_know_the_variable),
          cmocka_unit_test(texts_of_a_copy_have_its_numbers),
          cmocka_unit_test(functions_that_are_stored_know_the_variable),
          cmocka_unit_test(bounds_are_expressions_and_may_be_empty),
          cmocka_unit_test(several_variables_make_a_grid),
          cmocka_unit_test(the_variable_is_known_to_its_element_only),
          cmocka_unit_test(messages_name_the_copy),
          cmocka_unit_test(messages_of_the_compiler_name_the_copy),
          cmocka_unit_test(wrong_repetitions_are_refused),
          cmocka_unit_test(copies_of_all_elements_count_together),
          cmocka_unit_test(parts_of_an_element_cannot_be_copied),
          cmocka_unit_test(ten_thousand_bodies_and_joints_are_read_in_a_moment),
          cmocka_unit_test(no_leak_when_memory_runs_out))
