/* The system under construction: lists that grow with each piece that elements add, and the
 * quantities that are derived when all elements are built. */
#include "elements/builder.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "elements/body_checks.h"
#include "elements/build.h"
#include "elements/builder_state.h"
#include "elements/drawing.h"
#include "elements/initial_velocities.h"
#include "linalg/vec3.h"
#include "system/copy.h"
#include "system/diagnostics.h"

static olo_system *create_system(const char *name)
{
    olo_system *s = olo_alloc(1, sizeof *s);
    if (!s)
        return NULL;
    atomic_init(&s->users, 1);
    s->name = olo_pool_text(&s->pool, name, strlen(name));
    if (s->name)
        return s;
    olo_system_free(s);
    return NULL;
}

/* A copy of the pattern with all counts set to zero: its pieces are filled again one by one. */
static olo_system *copy_pattern(const olo_system *pattern)
{
    olo_system *s = olo_system_copy(pattern, false);
    if (!s)
        return NULL;
    s->implied = olo_free(s->implied);
    s->n = s->m = s->twists = s->node_count = s->mass_count = s->term_count = s->group_count = 0;
    s->joint_count = s->beam_count = s->joint_coordinate_count = s->drive_count = 0;
    s->measure_count = 0;
    s->action_count = s->body_point_count = s->output_count = s->reaction_count = 0;
    s->exact_count = s->drawable_count = s->implied_count = s->contact_count = 0;
    s->event_count = s->latched_count = s->mass_function_count = 0;
    return s;
}

olo_status olo_builder_create(const olo_builder_setup *setup, olo_builder **builder,
                              olo_error *error)
{
    *builder = NULL;
    olo_builder *b = olo_alloc(1, sizeof *b);
    if (b)
        b->system = setup->pattern ? copy_pattern(setup->pattern) : create_system(setup->name);
    if (!b || !b->system) {
        olo_builder_free(b);
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for the system");
    }
    b->setup = *setup;
    b->pattern = setup->pattern;
    vec3_copy(setup->gravity, b->system->gravity);
    vec3_copy(setup->plane, b->system->plane);
    b->system->planar = vec3_normalise(b->system->plane) > 0;
    *builder = b;
    return OLO_OK;
}

void olo_builder_free(olo_builder *builder)
{
    if (!builder)
        return;
    olo_system_free(builder->system);
    olo_free(builder->relative);
    olo_free(builder);
}

const olo_error *olo_builder_error(const olo_builder *builder)
{
    return &builder->error;
}

/* The element that is being built, or one of its keys, as messages name it. */
enum { WHERE_SIZE = 512 };

static void locate(const olo_builder *builder, const char *key, char where[WHERE_SIZE])
{
    if (builder->setup.locate)
        builder->setup.locate(builder->setup.context, key, where, WHERE_SIZE);
}

olo_status olo_builder_pass(olo_builder *builder, const char *key, const olo_error *cause)
{
    char where[WHERE_SIZE] = "";
    locate(builder, key, where);
    return olo_fail(&builder->error, cause->status, "%s%s%s", where, *where ? ": " : "",
                    cause->text);
}

olo_status olo_builder_fail(olo_builder *builder, const char *key, const char *format, ...)
{
    olo_error cause = {.status = OLO_BAD_INPUT};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cause.text, sizeof cause.text, format, arguments);
    va_end(arguments);
    return olo_builder_pass(builder, key, &cause);
}

olo_status olo_build_out_of_memory(olo_builder *builder)
{
    return olo_fail(&builder->error, OLO_NO_MEMORY, "out of memory for the system");
}

olo_system *olo_build_system(olo_builder *builder)
{
    return builder->system;
}

const olo_builder_setup *olo_build_setup(const olo_builder *builder)
{
    return &builder->setup;
}

const olo_system *olo_build_pattern(const olo_builder *builder)
{
    return builder->pattern;
}

/* Fails because an element consists of other pieces than in the pattern. */
static olo_status fail_structure(olo_builder *builder)
{
    const olo_error cause = {.status = OLO_UNSUPPORTED,
                             .text = "has another structure with these values"};
    return olo_builder_pass(builder, NULL, &cause);
}

/* Reserves the next item of a list of the system. With a pattern the item exists already, or the
 * structure differs. */
#define NEXT(builder, list, count)                                                                 \
    ((builder)->pattern                                                                            \
         ? (builder)->system->count < (builder)->pattern->count ||                                 \
               fail_structure(builder) == OLO_OK                                                   \
         : grow((builder), (void **)&(builder)->system->list, (size_t)(builder)->system->count,    \
                &(builder)->capacity.list, sizeof *(builder)->system->list))

static bool grow(olo_builder *builder, void **list, size_t count, size_t *capacity, size_t size)
{
    void *grown = olo_grow(*list, count, capacity, size);
    if (!grown) {
        olo_build_out_of_memory(builder);
        return false;
    }
    *list = grown;
    return true;
}

/* Stores a text in the system. With a pattern the text exists already. */
static bool store_text(olo_builder *builder, const char *text, const char **stored)
{
    if (!builder->pattern)
        *stored = olo_pool_text(&builder->system->pool, text, strlen(text));
    if (!*stored)
        olo_build_out_of_memory(builder);
    return *stored != NULL;
}

/* Adds the group of the internal constraints of a node. */
static olo_status add_internal_rows(olo_builder *builder, const olo_node *node, int number)
{
    olo_system *s = builder->system;
    olo_status status = olo_build_group(builder, node->name, true, false);
    if (status == OLO_OK && node->type->directors >= 0)
        s->groups[s->group_count - 1].frame = number;
    if (status == OLO_OK && builder->pattern)
        return olo_build_same_rows(builder, node->type->rows->count);
    for (int k = 0; status == OLO_OK && k < node->type->rows->count; k++) {
        olo_form_builder row;
        olo_form_begin(&row);
        node->type->rows->add(k, node->q + node->type->directors, &row);
        status = olo_build_constraint(builder, &row);
    }
    return status;
}

/* Adds a node, and capacity for its coordinates. */
static bool add_node(olo_builder *builder, const char *name, const olo_node_type *type, int base)
{
    olo_system *s = builder->system;
    olo_node node = {.type = type,
                     .q = s->n,
                     .size = type->size,
                     .twist = type->twist,
                     .motion = s->twists,
                     .base = base};
    const int *number = olo_pool_copy(&s->pool, &s->node_count, 1, sizeof *number);
    if (!store_text(builder, name, &node.name))
        return false;
    if (!number || !olo_names_add(&s->node_names, node.name, number)) {
        olo_build_out_of_memory(builder);
        return false;
    }
    for (int i = 0; i < type->size; i++) {
        size_t count = (size_t)(s->n + i);
        if (!grow(builder, (void **)&s->q0, count, &builder->capacity.q0, sizeof *s->q0) ||
            !grow(builder, (void **)&s->v0, count, &builder->capacity.v0, sizeof *s->v0) ||
            !grow(builder, (void **)&s->v0_given, count, &builder->capacity.v0_given,
                  sizeof *s->v0_given) ||
            !grow(builder, (void **)&s->coordinates, count, &builder->capacity.coordinates,
                  sizeof *s->coordinates))
            return false;
        s->coordinates[count] = olo_node_coordinate(type, s->node_count, i);
    }
    s->nodes[s->node_count] = node;
    return true;
}

olo_status olo_build_node(olo_builder *builder, const char *name, const olo_node_type *type,
                          int base, const double *q, const double *v, bool velocity_given,
                          int *node)
{
    olo_system *s = builder->system;
    if (!NEXT(builder, nodes, node_count) ||
        (!builder->pattern && !add_node(builder, name, type, base)))
        return builder->error.status;
    const olo_node *x = &s->nodes[s->node_count];
    if (x->type != type || x->base != base)
        return fail_structure(builder);
    for (int i = 0; i < x->size; i++, s->n++) {
        s->q0[s->n] = q[i];
        s->v0[s->n] = v[i];
        s->v0_given[s->n] = velocity_given;
    }
    s->twists += x->twist;
    *node = s->node_count++;
    return type->rows ? add_internal_rows(builder, &s->nodes[*node], *node) : OLO_OK;
}

olo_status olo_build_mass(olo_builder *builder, int i, int j, double mass)
{
    olo_system *s = builder->system;
    if (mass == 0 && i != j)
        return OLO_OK;
    if (!NEXT(builder, mass, mass_count))
        return builder->error.status;
    s->mass[s->mass_count++] = (olo_mass_entry){
        .i = i < j ? i : j, .j = i < j ? j : i, .width = s->coordinates[i].width, .m = mass};
    return OLO_OK;
}

olo_status olo_build_mass_function(olo_builder *builder, int i, int j, const olo_term *f)
{
    olo_system *s = builder->system;
    if (!NEXT(builder, mass_functions, mass_function_count))
        return builder->error.status;
    s->mass_functions[s->mass_function_count++] =
        (olo_mass_function){.i = i, .j = j, .reference = olo_term_energy(f, s->q0, NULL), .f = f};
    return OLO_OK;
}

/* Stores the forms of a piece on one index list. With a pattern the existing forms get other
 * numbers. */
static bool store_forms(olo_builder *builder, int count, const olo_form_builder *from,
                        const olo_form **forms)
{
    olo_pool *pool = &builder->system->pool;
    bool overflow = false;
    if (builder->pattern) {
        if (!olo_forms_refill(count, from, (olo_form *)*forms))
            fail_structure(builder);
        return builder->error.status == OLO_OK;
    }
    olo_form *stored = olo_pool_alloc(pool, (size_t)count, sizeof *stored);
    *forms = stored;
    if (stored && olo_forms_finish(count, from, pool, stored))
        return true;
    for (int k = 0; k < count; k++)
        overflow = overflow || from[k].overflow;
    if (overflow)
        olo_builder_fail(builder, NULL, "depends on more than %d coordinates", OLO_FORM_SIZE_MAX);
    else
        olo_build_out_of_memory(builder);
    return false;
}

/* Stores the numbers of a piece. */
static bool store_numbers(olo_builder *builder, int count, const double *from,
                          const double **numbers)
{
    if (builder->pattern) {
        if (count > 0)
            memcpy((double *)*numbers, from, (size_t)count * sizeof *from);
        return true;
    }
    *numbers = olo_pool_copy(&builder->system->pool, from, (size_t)count, sizeof *from);
    if (!*numbers)
        olo_build_out_of_memory(builder);
    return *numbers != NULL;
}

/* Adds the next term with its law, owner and coefficients; NULL on failure. */
static olo_term *next_term(olo_builder *builder, const char *owner, olo_term_role role,
                           const olo_law *law, const double *coefficients)
{
    olo_system *s = builder->system;
    if (!NEXT(builder, terms, term_count))
        return NULL;
    olo_term *term = &s->terms[s->term_count];
    if (builder->pattern && (term->law != law || term->role != role)) {
        fail_structure(builder);
        return NULL;
    }
    if (!builder->pattern)
        *term = (olo_term){.law = law, .role = role};
    if (!store_text(builder, owner, &term->owner) ||
        !store_numbers(builder, law->coefficients, coefficients, &term->coefficient))
        return NULL;
    return term;
}

olo_status olo_build_term(olo_builder *builder, const char *owner, olo_term_role role,
                          const olo_law *law, const void *context, const double *coefficients,
                          int forms, const olo_form_builder *form)
{
    olo_term *term = next_term(builder, owner, role, law, coefficients);
    if (!term)
        return builder->error.status;
    if (builder->pattern && (term->forms != forms || term->invariants))
        return fail_structure(builder);
    if (!store_forms(builder, forms, form, &term->form))
        return builder->error.status;
    term->context = context;
    term->forms = forms;
    term->size = term->form->size;
    term->index = term->form->index;
    builder->system->term_count++;
    return OLO_OK;
}

olo_status olo_build_strain_term(olo_builder *builder, const char *owner, olo_term_role role,
                                 const olo_law *law, const void *context,
                                 const double *coefficients, const olo_strain *strain)
{
    olo_pool *pool = &builder->system->pool;
    olo_term *term = next_term(builder, owner, role, law, coefficients);
    if (!term)
        return builder->error.status;
    const int size = olo_strain_size(strain);
    if (builder->pattern && (!term->invariants || term->size != size))
        return fail_structure(builder);
    term->data = olo_pool_copy(pool, strain, 1, sizeof *strain);
    int *index =
        builder->pattern ? (int *)term->index : olo_pool_alloc(pool, (size_t)size, sizeof *index);
    if (!term->data || !index)
        return olo_build_out_of_memory(builder);
    if (!builder->pattern)
        olo_strain_index(strain, index);
    term->context = context;
    term->forms = strain->count;
    term->invariants = &olo_strain_invariants;
    term->size = size;
    term->index = index;
    builder->system->term_count++;
    return OLO_OK;
}

olo_status olo_build_beam(olo_builder *builder, const olo_beam_line *beam)
{
    olo_system *s = builder->system;
    if (!NEXT(builder, beams, beam_count))
        return builder->error.status;
    s->beams[s->beam_count++] = *beam;
    return OLO_OK;
}

olo_status olo_build_group(olo_builder *builder, const char *name, bool internal, bool carried)
{
    olo_system *s = builder->system;
    char where[WHERE_SIZE] = "";
    if (!NEXT(builder, groups, group_count))
        return builder->error.status;
    olo_group *group = &s->groups[s->group_count];
    if (!builder->pattern) {
        *group = (olo_group){.first = s->m,
                             .internal = internal,
                             .carried = carried,
                             .frame = -1,
                             .hinge = {-1, -1}};
        locate(builder, NULL, where);
    }
    if (group->first != s->m || group->internal != internal || group->carried != carried)
        return fail_structure(builder);
    if (!store_text(builder, name, &group->name) || !store_text(builder, where, &group->where))
        return builder->error.status;
    group->count = 0;
    group->joint = -1;
    s->group_count++;
    return OLO_OK;
}

static bool same_row(const olo_constraint *a, const olo_constraint *b)
{
    return a->type == b->type && a->size == b->size && a->curved == b->curved &&
           a->share_count == b->share_count && !a->form == !b->form &&
           memcmp(a->index, b->index, (size_t)a->size * sizeof *a->index) == 0;
}

olo_status olo_build_row(olo_builder *builder, const olo_constraint *row)
{
    olo_system *s = builder->system;
    if (!NEXT(builder, constraints, m))
        return builder->error.status;
    if (builder->pattern && !same_row(row, &s->constraints[s->m]))
        return fail_structure(builder);
    s->constraints[s->m++] = *row;
    s->groups[s->group_count - 1].count++;
    return OLO_OK;
}

olo_status olo_build_constraint(olo_builder *builder, const olo_form_builder *form)
{
    olo_system *s = builder->system;
    if (!NEXT(builder, constraints, m))
        return builder->error.status;
    const olo_form *stored = builder->pattern ? s->constraints[s->m].form : NULL;
    if (builder->pattern && !stored)
        return fail_structure(builder);
    if (!store_forms(builder, 1, form, &stored))
        return builder->error.status;
    if (!builder->pattern)
        s->constraints[s->m] = (olo_constraint){.type = &olo_constraint_form,
                                                .size = stored->size,
                                                .index = stored->index,
                                                .curved = stored->products > 0,
                                                .form = stored};
    s->m++;
    s->groups[s->group_count - 1].count++;
    return OLO_OK;
}

olo_status olo_build_same_rows(olo_builder *builder, int count)
{
    olo_system *s = builder->system;
    if (s->m + count > builder->pattern->m)
        return fail_structure(builder);
    s->m += count;
    s->groups[s->group_count - 1].count += count;
    return OLO_OK;
}

olo_status olo_build_drive(olo_builder *builder, int coordinate)
{
    olo_system *s = builder->system;
    if (!NEXT(builder, drives, drive_count))
        return builder->error.status;
    s->drives[s->drive_count++] = (olo_drive){.coordinate = coordinate, .row = s->m};
    return OLO_OK;
}

olo_status olo_build_relative_velocity(olo_builder *builder, const olo_relative_velocity *relative)
{
    if (builder->pattern && !builder->relative) {
        const size_t joints = (size_t)builder->pattern->joint_count;
        builder->relative = olo_copy(NULL, joints, sizeof *builder->relative);
        builder->capacity.relative = builder->relative ? joints : 0;
    }
    if (!grow(builder, (void **)&builder->relative, (size_t)builder->relative_count,
              &builder->capacity.relative, sizeof *builder->relative))
        return builder->error.status;
    builder->relative[builder->relative_count] = *relative;
    builder->relative[builder->relative_count++].group =
        builder->system->group_count; /* the next */
    return OLO_OK;
}

static bool same_joint(const olo_articulation *a, const olo_articulation *b)
{
    return a->type == b->type && a->parent == b->parent && a->child == b->child &&
           a->reversible == b->reversible && a->reversed == b->reversed &&
           a->translations == b->translations && a->rotations == b->rotations;
}

olo_status olo_build_joint(olo_builder *builder, const olo_articulation *joint)
{
    olo_system *s = builder->system;
    if (!NEXT(builder, joints, joint_count))
        return builder->error.status;
    if (builder->pattern && !same_joint(joint, &builder->pattern->joints[s->joint_count]))
        return fail_structure(builder);
    s->joints[s->joint_count] = *joint;
    s->joints[s->joint_count].group = s->group_count - 1;
    s->groups[s->group_count - 1].joint = s->joint_count++;
    return OLO_OK;
}

olo_status olo_build_joint_coordinate(olo_builder *builder, const char *name, int axis,
                                      double sense, int forms, const olo_form_builder *form)
{
    static const double one = 1.0;
    olo_system *s = builder->system;
    if (!NEXT(builder, joint_coordinates, joint_coordinate_count))
        return builder->error.status;
    olo_joint_coordinate *x = &s->joint_coordinates[s->joint_coordinate_count];
    if (builder->pattern) {
        if (x->term->forms != forms ||
            (form && !olo_forms_refill(forms, form, (olo_form *)x->term->form)))
            return fail_structure(builder);
        s->joint_coordinate_count++;
        return OLO_OK;
    }
    olo_term *term = olo_pool_alloc(&s->pool, 1, sizeof *term);
    if (!term)
        return olo_build_out_of_memory(builder);
    if (!store_text(builder, name, &x->name) || !store_forms(builder, forms, form, &term->form))
        return builder->error.status;
    *term = (olo_term){.law = forms == 1 ? &olo_law_linear : &olo_law_angle_linear,
                       .coefficient = &one,
                       .forms = forms,
                       .form = term->form,
                       .size = term->form->size,
                       .index = term->form->index,
                       .coordinate = s->joint_coordinate_count++,
                       .owner = x->name};
    x->term = term;
    x->joint = s->joint_count - 1;
    x->axis = axis;
    x->sense = sense;
    return OLO_OK;
}

olo_status olo_build_measure(olo_builder *builder, const char *owner, const olo_law *law,
                             const olo_form_builder *form, const olo_term **measure)
{
    static const double one = 1.0;
    olo_system *s = builder->system;
    if (!NEXT(builder, measures, measure_count))
        return builder->error.status;
    olo_measure *x = &s->measures[s->measure_count];
    if (builder->pattern && x->term->law != law)
        return fail_structure(builder);
    olo_term *term =
        builder->pattern ? (olo_term *)x->term : olo_pool_alloc(&s->pool, 1, sizeof *term);
    if (!term)
        return olo_build_out_of_memory(builder);
    if (!store_text(builder, owner, &term->owner) || !store_forms(builder, 1, form, &term->form))
        return builder->error.status;
    term->law = law;
    term->coefficient = &one;
    term->forms = 1;
    term->size = term->form->size;
    term->index = term->form->index;
    term->coordinate = s->measure_count++;
    x->term = *measure = term;
    return OLO_OK;
}

olo_status olo_build_coordinate_term(olo_builder *builder, const char *owner, olo_term_role role,
                                     const olo_law *law, const double *coefficients, int coordinate)
{
    const olo_term *x = builder->system->joint_coordinates[coordinate].term;
    olo_term *term = next_term(builder, owner, role, law, coefficients);
    if (!term)
        return builder->error.status;
    if (builder->pattern && (term->forms != x->forms || term->coordinate != x->coordinate))
        return fail_structure(builder);
    term->forms = x->forms;
    term->form = x->form;
    term->size = x->size;
    term->index = x->index;
    term->coordinate = x->coordinate;
    builder->system->term_count++;
    return OLO_OK;
}

olo_status olo_build_action(olo_builder *builder, const olo_action *action, const int *index)
{
    olo_system *s = builder->system;
    const size_t size = (size_t)action->size;
    if (!NEXT(builder, actions, action_count))
        return builder->error.status;
    olo_action *a = &s->actions[s->action_count];
    if (builder->pattern && (a->type != action->type || a->size != action->size ||
                             memcmp(a->index, index, size * sizeof *index) != 0))
        return fail_structure(builder);
    const int *stored =
        builder->pattern ? a->index : olo_pool_copy(&s->pool, index, size, sizeof *stored);
    const char *owner = a->owner;
    if (!stored)
        return olo_build_out_of_memory(builder);
    if (!store_text(builder, action->owner, &owner))
        return builder->error.status;
    *a = *action;
    a->number = s->action_count++;
    a->index = stored;
    a->owner = owner;
    return OLO_OK;
}

olo_status olo_build_body_point(olo_builder *builder, int node, const char *name,
                                const double at[3])
{
    olo_system *s = builder->system;
    if (!NEXT(builder, body_points, body_point_count))
        return builder->error.status;
    olo_named_point *point = &s->body_points[s->body_point_count];
    if (!store_text(builder, name, &point->name))
        return builder->error.status;
    point->node = node;
    vec3_copy(at, point->at);
    s->body_point_count++;
    return OLO_OK;
}

olo_status olo_build_output(olo_builder *builder, const char *name, const olo_position *position)
{
    olo_system *s = builder->system;
    if (!NEXT(builder, outputs, output_count))
        return builder->error.status;
    olo_output_point *output = &s->outputs[s->output_count];
    const bool same = output->position.count == position->count;
    if (builder->pattern && !same)
        return fail_structure(builder);
    if (!store_text(builder, name, &output->name))
        return builder->error.status;
    output->position = *position;
    s->output_count++;
    return OLO_OK;
}

olo_status olo_build_reaction(olo_builder *builder, const char *name, int group, int axes)
{
    olo_system *s = builder->system;
    if (!NEXT(builder, reactions, reaction_count))
        return builder->error.status;
    if (!builder->pattern) {
        olo_reaction *reaction = &s->reactions[s->reaction_count];
        if (!store_text(builder, name, &reaction->name))
            return builder->error.status;
        reaction->group = group;
        reaction->axes = axes;
    }
    s->reaction_count++;
    return OLO_OK;
}

static bool same_slots(const olo_contact_geometry *a, const olo_contact_geometry *b)
{
    return a->slots == b->slots && memcmp(a->slot, b->slot, sizeof a->slot) == 0;
}

/* Contacts without geometry: the same gap and the same sliding velocities. */
static bool same_contact_rows(const olo_contact_point *a, const olo_contact_point *b)
{
    bool same = !olo_contact_has_gap(b) || same_row(&a->gap, &b->gap);
    for (int k = 0; k < b->sliding_count; k++)
        same = same && same_row(&a->sliding[k], &b->sliding[k]);
    return same;
}

olo_status olo_build_contact(olo_builder *builder, const olo_contact_point *contact,
                             const olo_contact_geometry *geometry, int sliding_count)
{
    olo_system *s = builder->system;
    if (!NEXT(builder, contacts, contact_count))
        return builder->error.status;
    olo_contact_point *point = &s->contacts[s->contact_count];
    const olo_constraint_type *gap = contact->gap.type;
    const bool same =
        builder->pattern && point->gap.type == gap && point->sliding_count == sliding_count &&
        point->law == contact->law && !point->geometry == !geometry &&
        (geometry ? same_slots(point->geometry, geometry) : same_contact_rows(point, contact));
    if (builder->pattern && !same)
        return fail_structure(builder);
    const olo_contact_point before = *point;
    char where[WHERE_SIZE] = "";
    locate(builder, NULL, where);
    *point = *contact;
    point->name = before.name;
    point->where = before.where;
    point->owner = before.owner;
    if (!store_text(builder, contact->name, &point->name) ||
        !store_text(builder, where, &point->where) ||
        (contact->owner && !store_text(builder, contact->owner, &point->owner)))
        return builder->error.status;
    s->contact_count++;
    if (!geometry)
        return OLO_OK;
    olo_contact_geometry *own = olo_pool_copy(&s->pool, geometry, 1, sizeof *own);
    int *index = olo_pool_alloc(&s->pool, 3 * (size_t)geometry->slots, sizeof *index);
    if (!own || !index)
        return olo_build_out_of_memory(builder);
    olo_contact_set_rows(point, gap, own, index, sliding_count);
    return OLO_OK;
}

olo_status olo_build_event(olo_builder *builder, const olo_system_event *event)
{
    olo_system *s = builder->system;
    if (!NEXT(builder, events, event_count))
        return builder->error.status;
    olo_system_event *own = &s->events[s->event_count];
    const olo_system_event before = *own;
    *own = *event;
    if (builder->pattern) {
        own->name = before.name;
        own->where = before.where;
    }
    char where[WHERE_SIZE] = "";
    locate(builder, NULL, where);
    if (!store_text(builder, event->name, &own->name) || !store_text(builder, where, &own->where))
        return builder->error.status;
    s->event_count++;
    return OLO_OK;
}

olo_status olo_build_exact(olo_builder *builder, const olo_exact_vector *vector)
{
    olo_system *s = builder->system;
    if (!NEXT(builder, exacts, exact_count))
        return builder->error.status;
    s->exacts[s->exact_count++] = *vector;
    return OLO_OK;
}

olo_status olo_draw(olo_builder *builder, const olo_drawable *drawable)
{
    olo_system *s = builder->system;
    if (!NEXT(builder, drawables, drawable_count))
        return builder->error.status;
    olo_drawable *x = &s->drawables[s->drawable_count];
    const char *name =
        builder->pattern ? builder->pattern->drawables[s->drawable_count].name : NULL;
    if (!store_text(builder, drawable->name, &name))
        return builder->error.status;
    *x = *drawable;
    x->name = name;
    s->drawable_count++;
    return OLO_OK;
}

olo_status olo_build_own(olo_builder *builder, void *context, void (*release)(void *context))
{
    olo_system *s = builder->system;
    if (!grow(builder, (void **)&s->contexts, (size_t)s->context_count, &builder->capacity.contexts,
              sizeof *s->contexts)) {
        release(context);
        return builder->error.status;
    }
    s->contexts[s->context_count++] = (olo_owned){.context = context, .free = release};
    return OLO_OK;
}

olo_status olo_build_resolve_point(olo_builder *builder, const char *key,
                                   const olo_point_on_body *point, olo_position *position,
                                   int *node)
{
    olo_error cause; /* set on failure */
    if (olo_system_resolve(builder->system, point, position, node, &cause) == OLO_OK)
        return OLO_OK;
    return olo_builder_pass(builder, key, &cause);
}

olo_status olo_build_gravity(olo_builder *builder, const char *owner, double mass,
                             const olo_position *position)
{
    const double *g = builder->system->gravity;
    if (vec3_norm(g) == 0)
        return OLO_OK;
    double weight[3] = {-mass * g[0], -mass * g[1], -mass * g[2]}, one = 1.0;
    olo_form_builder form;
    olo_form_begin(&form);
    olo_form_add_component(&form, weight, position);
    return olo_build_term(builder, owner, OLO_ROLE_POTENTIAL, &olo_law_linear, NULL, &one, 1,
                          &form);
}

/* Whether the system has the same pieces and couplings as the pattern. */
static bool has_same_structure(const olo_system *s, const olo_system *pattern)
{
    const int counts[][2] = {{s->node_count, pattern->node_count},
                             {s->mass_count, pattern->mass_count},
                             {s->loose_mass_count, pattern->loose_mass_count},
                             {s->mass_function_count, pattern->mass_function_count},
                             {s->term_count, pattern->term_count},
                             {s->m, pattern->m},
                             {s->group_count, pattern->group_count},
                             {s->joint_count, pattern->joint_count},
                             {s->beam_count, pattern->beam_count},
                             {s->joint_coordinate_count, pattern->joint_coordinate_count},
                             {s->measure_count, pattern->measure_count},
                             {s->drive_count, pattern->drive_count},
                             {s->action_count, pattern->action_count},
                             {s->body_point_count, pattern->body_point_count},
                             {s->output_count, pattern->output_count},
                             {s->reaction_count, pattern->reaction_count},
                             {s->exact_count, pattern->exact_count},
                             {s->drawable_count, pattern->drawable_count},
                             {s->implied_count, pattern->implied_count}};
    bool same = true;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        same = same && counts[i][0] == counts[i][1];
    for (int e = 0; same && e < s->mass_count; e++)
        same = s->mass[e].i == pattern->mass[e].i && s->mass[e].j == pattern->mass[e].j;
    for (int i = 0; same && i < s->group_count; i++)
        same = s->groups[i].count == pattern->groups[i].count &&
               s->groups[i].joint == pattern->groups[i].joint;
    return same && memcmp(s->v0_given, pattern->v0_given, (size_t)s->n * sizeof *s->v0_given) == 0;
}

/* Joints that an event closes later do not imply initial velocities. */
static void leave_out_open_joints(olo_builder *builder)
{
    int count = 0;
    for (int i = 0; i < builder->relative_count; i++)
        if (!olo_event_begins_off(builder->system, OLO_SWITCHED_GROUP, builder->relative[i].group))
            builder->relative[count++] = builder->relative[i];
    builder->relative_count = count;
}

/* Derives the quantities that depend on all pieces. */
static bool derive(olo_builder *builder)
{
    olo_system *s = builder->system;
    leave_out_open_joints(builder);
    if (!olo_find_initial_velocities(s, builder->relative_count, builder->relative) ||
        !olo_system_finish_numbers(s))
        return false;
    return builder->pattern ||
           (olo_system_find_parts(s) && olo_system_reserve_diagnostics(s) && olo_system_measure(s));
}

olo_status olo_builder_finish(olo_builder *builder, olo_system **system, olo_error *error)
{
    *system = NULL;
    olo_system *s = builder->system;
    olo_status status = builder->error.status;
    if (status == OLO_OK && s->node_count == 0)
        status = olo_fail(&builder->error, OLO_BAD_INPUT,
                          "the model has no points and no bodies that could move");
    if (status == OLO_OK && !builder->setup.trial)
        status = olo_check_bodies(s, &builder->error);
    if (status == OLO_OK && !derive(builder))
        status = olo_build_out_of_memory(builder);
    if (status == OLO_OK && builder->pattern && !has_same_structure(s, builder->pattern))
        status = olo_fail(&builder->error, OLO_UNSUPPORTED,
                          "the model has another structure with these values");
    if (status != OLO_OK) {
        olo_fail(error, status, "%s", builder->error.text);
    } else {
        *system = s;
        builder->system = NULL;
    }
    olo_builder_free(builder);
    return status;
}
