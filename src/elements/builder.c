/* The system under construction: growing lists, and what is derived when everything is there. */
#include "elements/builder.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "elements/build.h"
#include "elements/builder_state.h"
#include "elements/drawing.h"
#include "elements/initial_velocities.h"
#include "linalg/vec3.h"

olo_status olo_builder_create(const olo_builder_setup *setup, olo_builder **builder,
                              olo_error *error)
{
    *builder = NULL;
    olo_builder *b = olo_alloc(1, sizeof *b);
    if (b)
        b->system = olo_alloc(1, sizeof *b->system);
    if (b && b->system)
        b->system->name = olo_pool_text(&b->system->pool, setup->name, strlen(setup->name));
    if (!b || !b->system || !b->system->name) {
        olo_builder_free(b);
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for the system");
    }
    b->setup = *setup;
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

/* Room for one more item in a list of the system. */
#define GROW(builder, list, count)                                                                 \
    grow((builder), (void **)&(builder)->system->list, (size_t)(builder)->system->count,           \
         &(builder)->capacity.list, sizeof *(builder)->system->list)

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

static const char *keep_text(olo_builder *builder, const char *text)
{
    return olo_pool_text(&builder->system->pool, text, strlen(text));
}

/* The group of the constraints that hold a node together. */
static olo_status add_internal_rows(olo_builder *builder, const olo_node *node, int number)
{
    olo_system *s = builder->system;
    olo_status status = olo_build_group(builder, node->name, true, false);
    if (status == OLO_OK && node->type->directors >= 0)
        s->groups[s->group_count - 1].frame = number;
    for (int k = 0; status == OLO_OK && k < node->type->rows->count; k++) {
        olo_form_builder row = {0};
        node->type->rows->add(k, node->q + node->type->directors, &row);
        status = olo_build_constraint(builder, &row);
    }
    return status;
}

olo_status olo_build_node(olo_builder *builder, const char *name, const olo_node_type *type,
                          int base, const double *q, const double *v, bool velocity_given,
                          int *node)
{
    olo_system *s = builder->system;
    const char *kept = keep_text(builder, name);
    const int *number = olo_pool_copy(&s->pool, &s->node_count, 1, sizeof *number);
    if (!kept || !number || !olo_names_add(&s->node_names, kept, number))
        return olo_build_out_of_memory(builder);
    if (!GROW(builder, nodes, node_count))
        return builder->error.status;
    for (int i = 0; i < type->size; i++, s->n++) {
        size_t count = (size_t)s->n;
        if (!grow(builder, (void **)&s->q0, count, &builder->capacity.q0, sizeof *s->q0) ||
            !grow(builder, (void **)&s->v0, count, &builder->capacity.v0, sizeof *s->v0) ||
            !grow(builder, (void **)&s->v0_given, count, &builder->capacity.v0_given,
                  sizeof *s->v0_given) ||
            !grow(builder, (void **)&s->coordinates, count, &builder->capacity.coordinates,
                  sizeof *s->coordinates))
            return builder->error.status;
        s->q0[s->n] = q[i];
        s->v0[s->n] = v[i];
        s->v0_given[s->n] = velocity_given;
        s->coordinates[s->n] = olo_node_coordinate(type, s->node_count, i);
    }
    s->nodes[s->node_count] = (olo_node){.name = kept,
                                         .type = type,
                                         .q = s->n - type->size,
                                         .size = type->size,
                                         .twist = type->twist,
                                         .motion = s->twists,
                                         .base = base};
    s->twists += type->twist;
    *node = s->node_count++;
    return type->rows ? add_internal_rows(builder, &s->nodes[*node], *node) : OLO_OK;
}

olo_status olo_build_mass(olo_builder *builder, int i, int j, double mass)
{
    olo_system *s = builder->system;
    if (mass == 0)
        return OLO_OK;
    if (!GROW(builder, mass, mass_count))
        return builder->error.status;
    s->mass[s->mass_count++] = (olo_mass_entry){.i = i < j ? i : j, .j = i < j ? j : i, .m = mass};
    return OLO_OK;
}

/* The forms of a term share one index list: the union, with zero coefficients where one is not
 * touched. */
static bool finish_forms(olo_builder *builder, int count, const olo_form_builder *from,
                         olo_form *forms)
{
    olo_form_builder all = {0};
    for (int k = 0; k < count; k++)
        for (int i = 0; i < from[k].size; i++) {
            /* touch the coordinate without a term */
            olo_form_add_linear(&all, from[k].index[i], 1.0);
        }
    for (int i = 0; i < all.size; i++)
        all.b[i] = 0;
    for (int k = 0; k < count; k++) {
        olo_form_builder one = all;
        one.c = from[k].c;
        for (int i = 0; i < from[k].size; i++)
            olo_form_add_linear(&one, from[k].index[i], from[k].b[i]);
        for (int p = 0; p < from[k].products; p++)
            olo_form_add_product(&one, from[k].index[from[k].product[p].i],
                                 from[k].index[from[k].product[p].j], from[k].product[p].a);
        one.overflow = one.overflow || from[k].overflow;
        if (!olo_form_finish(&one, &builder->system->pool, &forms[k])) {
            if (one.overflow)
                olo_builder_fail(builder, NULL, "touches more than %d coordinates",
                                 OLO_FORM_SIZE_MAX);
            else
                olo_build_out_of_memory(builder);
            return false;
        }
    }
    return true;
}

olo_status olo_build_term(olo_builder *builder, const char *owner, olo_term_role role,
                          const olo_law *law, const void *context, const double *coefficients,
                          int forms, const olo_form_builder *form)
{
    olo_system *s = builder->system;
    olo_form *kept = olo_pool_alloc(&s->pool, (size_t)forms, sizeof *kept);
    double *c = olo_pool_copy(&s->pool, coefficients, (size_t)law->coefficients, sizeof *c);
    const char *name = keep_text(builder, owner);
    if (!kept || !c || !name)
        return olo_build_out_of_memory(builder);
    if (!finish_forms(builder, forms, form, kept) || !GROW(builder, terms, term_count))
        return builder->error.status;
    s->terms[s->term_count++] = (olo_term){.law = law,
                                           .context = context,
                                           .coefficient = c,
                                           .forms = forms,
                                           .form = kept,
                                           .size = kept[0].size,
                                           .index = kept[0].index,
                                           .role = role,
                                           .owner = name};
    return OLO_OK;
}

olo_status olo_build_strain_term(olo_builder *builder, const char *owner, olo_term_role role,
                                 const olo_law *law, const void *context,
                                 const double *coefficients, const olo_strain *strain)
{
    olo_system *s = builder->system;
    olo_strain *kept = olo_pool_copy(&s->pool, strain, 1, sizeof *kept);
    double *c = olo_pool_copy(&s->pool, coefficients, (size_t)law->coefficients, sizeof *c);
    int *index = olo_pool_alloc(&s->pool, 12 * (size_t)strain->nodes, sizeof *index);
    const char *name = keep_text(builder, owner);
    if (!kept || !c || !index || !name)
        return olo_build_out_of_memory(builder);
    if (!GROW(builder, terms, term_count))
        return builder->error.status;
    for (int i = 0; i < 12 * strain->nodes; i++)
        index[i] = strain->q[i / 12] + i % 12;
    s->terms[s->term_count++] = (olo_term){.law = law,
                                           .context = context,
                                           .coefficient = c,
                                           .forms = OLO_STRAINS,
                                           .invariants = &olo_strain_invariants,
                                           .data = kept,
                                           .size = 12 * strain->nodes,
                                           .index = index,
                                           .role = role,
                                           .owner = name};
    return OLO_OK;
}

olo_status olo_build_beam(olo_builder *builder, const olo_beam_line *beam)
{
    olo_system *s = builder->system;
    if (!GROW(builder, beams, beam_count))
        return builder->error.status;
    s->beams[s->beam_count++] = *beam;
    return OLO_OK;
}

olo_status olo_build_group(olo_builder *builder, const char *name, bool internal, bool carried)
{
    olo_system *s = builder->system;
    char where[WHERE_SIZE] = "";
    locate(builder, NULL, where);
    const char *kept = keep_text(builder, name), *place = keep_text(builder, where);
    if (!kept || !place)
        return olo_build_out_of_memory(builder);
    if (!GROW(builder, groups, group_count))
        return builder->error.status;
    s->groups[s->group_count++] = (olo_group){.name = kept,
                                              .where = place,
                                              .internal = internal,
                                              .carried = carried,
                                              .first = s->m,
                                              .joint = -1,
                                              .frame = -1,
                                              .hinge = {-1, -1}};
    return OLO_OK;
}

olo_status olo_build_row(olo_builder *builder, const olo_constraint *row)
{
    olo_system *s = builder->system;
    if (!GROW(builder, constraints, m))
        return builder->error.status;
    s->constraints[s->m++] = *row;
    s->groups[s->group_count - 1].count++;
    return OLO_OK;
}

olo_status olo_build_constraint(olo_builder *builder, const olo_form_builder *form)
{
    olo_form *kept = olo_pool_alloc(&builder->system->pool, 1, sizeof *kept);
    if (!kept)
        return olo_build_out_of_memory(builder);
    if (!finish_forms(builder, 1, form, kept))
        return builder->error.status;
    const olo_constraint row = {.type = &olo_constraint_form,
                                .size = kept->size,
                                .index = kept->index,
                                .curved = kept->products > 0,
                                .form = kept};
    return olo_build_row(builder, &row);
}

olo_status olo_build_drive(olo_builder *builder, int coordinate)
{
    olo_system *s = builder->system;
    if (!GROW(builder, drives, drive_count))
        return builder->error.status;
    s->drives[s->drive_count++] = (olo_drive){.coordinate = coordinate, .row = s->m};
    return OLO_OK;
}

olo_status olo_build_relative_velocity(olo_builder *builder, const olo_relative_velocity *relative)
{
    if (!grow(builder, (void **)&builder->relative, (size_t)builder->relative_count,
              &builder->capacity.relative, sizeof *builder->relative))
        return builder->error.status;
    builder->relative[builder->relative_count++] = *relative;
    return OLO_OK;
}

olo_status olo_build_joint(olo_builder *builder, const olo_articulation *joint)
{
    olo_system *s = builder->system;
    if (!GROW(builder, joints, joint_count))
        return builder->error.status;
    s->joints[s->joint_count] = *joint;
    s->joints[s->joint_count].group = s->group_count - 1;
    s->groups[s->group_count - 1].joint = s->joint_count++;
    return OLO_OK;
}

olo_status olo_build_joint_coordinate(olo_builder *builder, const char *name, int forms,
                                      const olo_form_builder *form)
{
    static const double one = 1.0;
    olo_system *s = builder->system;
    olo_form *kept = olo_pool_alloc(&s->pool, (size_t)forms, sizeof *kept);
    olo_term *term = olo_pool_alloc(&s->pool, 1, sizeof *term);
    const char *text = keep_text(builder, name);
    if (!kept || !term || !text)
        return olo_build_out_of_memory(builder);
    if (!finish_forms(builder, forms, form, kept) ||
        !GROW(builder, joint_coordinates, joint_coordinate_count))
        return builder->error.status;
    *term = (olo_term){.law = forms == 1 ? &olo_law_linear : &olo_law_angle_linear,
                       .coefficient = &one,
                       .forms = forms,
                       .form = kept,
                       .size = kept[0].size,
                       .index = kept[0].index,
                       .coordinate = s->joint_coordinate_count,
                       .owner = text};
    s->joint_coordinates[s->joint_coordinate_count++] =
        (olo_joint_coordinate){.name = text, .term = term};
    return OLO_OK;
}

olo_status olo_build_coordinate_term(olo_builder *builder, const char *owner, olo_term_role role,
                                     const olo_law *law, const double *coefficients, int coordinate)
{
    olo_system *s = builder->system;
    double *c = olo_pool_copy(&s->pool, coefficients, (size_t)law->coefficients, sizeof *c);
    const char *name = keep_text(builder, owner);
    if (!c || !name)
        return olo_build_out_of_memory(builder);
    if (!GROW(builder, terms, term_count))
        return builder->error.status;
    olo_term *term = &s->terms[s->term_count++];
    *term = *s->joint_coordinates[coordinate].term;
    term->law = law;
    term->coefficient = c;
    term->role = role;
    term->owner = name;
    return OLO_OK;
}

olo_status olo_build_action(olo_builder *builder, const olo_action *action, const int *index)
{
    olo_system *s = builder->system;
    int *kept = olo_pool_copy(&s->pool, index, (size_t)action->size, sizeof *kept);
    const char *owner = keep_text(builder, action->owner);
    if (!kept || !owner)
        return olo_build_out_of_memory(builder);
    if (!GROW(builder, actions, action_count))
        return builder->error.status;
    olo_action *a = &s->actions[s->action_count];
    *a = *action;
    a->number = s->action_count++;
    a->index = kept;
    a->owner = owner;
    return OLO_OK;
}

olo_status olo_build_body_point(olo_builder *builder, int node, const char *name,
                                const double at[3])
{
    olo_system *s = builder->system;
    const char *kept = keep_text(builder, name);
    if (!kept)
        return olo_build_out_of_memory(builder);
    if (!GROW(builder, body_points, body_point_count))
        return builder->error.status;
    olo_named_point *point = &s->body_points[s->body_point_count++];
    point->node = node;
    point->name = kept;
    vec3_copy(at, point->at);
    return OLO_OK;
}

olo_status olo_build_output(olo_builder *builder, const char *name, const olo_position *position)
{
    olo_system *s = builder->system;
    const char *kept = keep_text(builder, name);
    if (!kept)
        return olo_build_out_of_memory(builder);
    if (!GROW(builder, outputs, output_count))
        return builder->error.status;
    s->outputs[s->output_count++] = (olo_system_output_place){.name = kept, .position = *position};
    return OLO_OK;
}

olo_status olo_build_reaction(olo_builder *builder, const char *name, int group, int axes)
{
    olo_system *s = builder->system;
    const char *kept = keep_text(builder, name);
    if (!kept)
        return olo_build_out_of_memory(builder);
    if (!GROW(builder, reactions, reaction_count))
        return builder->error.status;
    s->reactions[s->reaction_count++] = (olo_reaction){.name = kept, .group = group, .axes = axes};
    return OLO_OK;
}

olo_status olo_build_exact(olo_builder *builder, const olo_exact_vector *vector)
{
    olo_system *s = builder->system;
    if (!GROW(builder, exacts, exact_count))
        return builder->error.status;
    s->exacts[s->exact_count++] = *vector;
    return OLO_OK;
}

olo_status olo_draw(olo_builder *builder, const olo_drawable *drawable)
{
    olo_system *s = builder->system;
    const char *kept = keep_text(builder, drawable->name);
    if (!kept)
        return olo_build_out_of_memory(builder);
    if (!GROW(builder, drawables, drawable_count))
        return builder->error.status;
    s->drawables[s->drawable_count] = *drawable;
    s->drawables[s->drawable_count++].name = kept;
    return OLO_OK;
}

olo_status olo_build_own(olo_builder *builder, void *context, void (*release)(void *context))
{
    olo_system *s = builder->system;
    if (!GROW(builder, contexts, context_count)) {
        release(context);
        return builder->error.status;
    }
    s->contexts[s->context_count++] = (olo_owned){.context = context, .free = release};
    return OLO_OK;
}

olo_status olo_build_place(olo_builder *builder, const char *key, const olo_point_on_body *place,
                           olo_position *position, int *node)
{
    olo_error cause = {0};
    if (olo_system_resolve(builder->system, place, position, node, &cause) == OLO_OK)
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
    olo_form_builder form = {0};
    olo_form_add_component(&form, weight, position);
    return olo_build_term(builder, owner, OLO_ROLE_POTENTIAL, &olo_law_linear, NULL, &one, 1,
                          &form);
}

/* A length of the model: radii of gyration, rods, and distances between nodes. */
static double length_scale(const olo_system *s)
{
    double largest = 0, lowest[3] = {0, 0, 0}, highest[3] = {0, 0, 0};
    for (int i = 0; i < s->joint_count; i++)
        largest = fmax(largest, s->joints[i].length);
    /* a body books the mass at its origin first */
    double mass = 0;
    for (int e = 0; e < s->mass_count; e++) {
        const olo_coordinate *c = &s->coordinates[s->mass[e].i];
        if (s->mass[e].i != s->mass[e].j || s->nodes[c->node].type->position < 0)
            continue;
        if (c->slot == 0)
            mass = s->mass[e].m;
        else if (mass > 0)
            largest = fmax(largest, sqrt(fabs(s->mass[e].m) / mass));
    }
    for (int k = 0, positions = 0; k < s->node_count; k++) {
        const double *x = olo_node_position(&s->nodes[k], s->q0);
        if (!x)
            continue;
        for (int i = 0; i < 3; i++) {
            lowest[i] = positions == 0 || x[i] < lowest[i] ? x[i] : lowest[i];
            highest[i] = positions == 0 || x[i] > highest[i] ? x[i] : highest[i];
        }
        positions++;
    }
    double box[3];
    vec3_subtract(highest, lowest, box);
    largest = fmax(largest, vec3_norm(box));
    return largest > 0 ? largest : 1.0;
}

olo_status olo_builder_finish(olo_builder *builder, olo_system **system, olo_error *error)
{
    *system = NULL;
    olo_system *s = builder->system;
    olo_status status = builder->error.status;
    if (status == OLO_OK && s->node_count == 0)
        status = olo_fail(&builder->error, OLO_BAD_INPUT,
                          "the model has no points and no bodies: nothing can move");
    if (status == OLO_OK) {
        s->length_scale = length_scale(s);
        if (!olo_settle_velocities(s, builder->relative_count, builder->relative) ||
            !olo_system_gather_frames(s) || !olo_system_measure_rows(s) ||
            !olo_ledger_simd_create(s, false, &s->ledger_simd) || !olo_system_find_parts(s))
            status = olo_build_out_of_memory(builder);
    }
    if (status == OLO_OK) {
        if (!olo_system_find_symmetries(s))
            status = olo_build_out_of_memory(builder);
    }
    if (status == OLO_OK)
        status = olo_draw_rest(builder);
    if (status != OLO_OK) {
        olo_fail(error, status, "%s", builder->error.text);
    } else {
        *system = s;
        builder->system = NULL;
    }
    olo_builder_free(builder);
    return status;
}
