/* States: one block of memory that is copied as a whole. */
#include <string.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/fail.h"
#include "base/memory.h"
#include "system/coordinate.h"
#include "system/system.h"

static size_t number_count(const olo_state *x)
{
    return 5 * (size_t)x->n + (2 + OLO_PREDICTOR_MOTIONS) * (size_t)x->twists + (size_t)x->m +
           (size_t)x->joint_coordinates + 6 * (size_t)x->reaction_count + 2 * (size_t)x->drives +
           2 * (size_t)x->parts;
}

static void point_into(olo_state *state)
{
    double *at = state->numbers;
    state->q = at;
    state->q_remainder = at += state->n;
    state->v = at += state->n;
    state->v_before = at += state->n;
    state->motion = at += state->n;
    state->motion_before = at += state->twists;
    state->differences = at += state->twists;
    state->wrench = at += (OLO_PREDICTOR_MOTIONS - 1) * state->twists;
    state->lambda = at += state->twists;
    state->momentum = at += state->m;
    state->angles = at += state->n;
    state->reactions = at += state->joint_coordinates;
    state->impulse_end = at += 6 * state->reaction_count;
    state->drive_work = at += state->drives;
    state->received = (olo_sum *)(at + state->drives);
}

/* A zeroed state with the sizes of `like`. */
static olo_state *allocate(const olo_state *like)
{
    olo_state *state = olo_alloc(1, sizeof *state + number_count(like) * sizeof(double));
    if (!state)
        return NULL;
    state->n = like->n;
    state->m = like->m;
    state->twists = like->twists;
    state->joint_coordinates = like->joint_coordinates;
    state->reaction_count = like->reaction_count;
    state->drives = like->drives;
    state->parts = like->parts;
    point_into(state);
    return state;
}

olo_status olo_state_create(const olo_system *system, olo_state **state, olo_error *error)
{
    const olo_state sizes = {.n = system->n,
                             .m = system->m,
                             .twists = system->twists,
                             .joint_coordinates = system->joint_coordinate_count,
                             .reaction_count = system->reaction_count,
                             .drives = system->drive_count,
                             .parts = system->part_count > 1 ? system->part_count : 0};
    *state = allocate(&sizes);
    return *state ? OLO_OK : olo_fail(error, OLO_NO_MEMORY, "out of memory for a state");
}

void olo_state_copy(const olo_state *from, olo_state *to)
{
    memcpy(to->numbers, from->numbers, number_count(from) * sizeof(double));
    to->t = from->t;
    to->h = from->h;
    to->h_before = from->h_before;
    to->span = from->span;
    to->next = from->next;
    to->error_before = from->error_before;
    to->turned = from->turned;
    to->smooth = from->smooth;
    to->equal = from->equal;
    to->predictor_order = from->predictor_order;
    to->from_momentum = from->from_momentum;
    to->pending = from->pending;
    to->interval_energy = from->interval_energy;
    to->work = from->work;
    to->dissipation = from->dissipation;
    to->constraint = from->constraint;
}

olo_status olo_state_clone(const olo_state *state, olo_state **copy, olo_error *error)
{
    *copy = allocate(state);
    if (!*copy)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for a state");
    olo_state_copy(state, *copy);
    return OLO_OK;
}

/* --- as a block of bytes --- */

/* Raised when the fields below change. */
enum { SAVED_VERSION = 7 };
static const uint64_t saved_magic =
    UINT64_C(0x6574617473206f6c); /* "lo state", and so the order of bytes */

typedef struct saved_head {
    uint64_t magic, checksum; /* of what follows */
    uint64_t version, n, m, twists;
} saved_head;

/* Everything that olo_state_copy copies. */
static void pass_fields(olo_bytes *bytes, olo_state *state)
{
    olo_bytes_pass(bytes, &state->t, sizeof state->t);
    olo_bytes_pass(bytes, &state->h, sizeof state->h);
    olo_bytes_pass(bytes, &state->h_before, sizeof state->h_before);
    olo_bytes_pass(bytes, &state->span, sizeof state->span);
    olo_bytes_pass(bytes, &state->next, sizeof state->next);
    olo_bytes_pass(bytes, &state->error_before, sizeof state->error_before);
    olo_bytes_pass(bytes, &state->turned, sizeof state->turned);
    olo_bytes_pass_flag(bytes, &state->smooth);
    olo_bytes_pass(bytes, &state->equal, sizeof state->equal);
    olo_bytes_pass(bytes, &state->predictor_order, sizeof state->predictor_order);
    olo_bytes_pass_flag(bytes, &state->from_momentum);
    olo_bytes_pass_flag(bytes, &state->pending);
    olo_bytes_pass(bytes, &state->interval_energy, sizeof state->interval_energy);
    olo_bytes_pass(bytes, &state->work, sizeof state->work);
    olo_bytes_pass(bytes, &state->dissipation, sizeof state->dissipation);
    olo_bytes_pass(bytes, &state->constraint, sizeof state->constraint);
    olo_bytes_pass(bytes, state->numbers, number_count(state) * sizeof(double));
}

size_t olo_state_saved_size(const olo_state *state)
{
    olo_bytes bytes = {.way = OLO_BYTES_MEASURE};
    pass_fields(&bytes, (olo_state *)state); /* measuring does not touch it */
    return sizeof(saved_head) + bytes.at;
}

void olo_state_save(const olo_state *state, void *block)
{
    const size_t size = olo_state_saved_size(state) - sizeof(saved_head);
    saved_head head = {.magic = saved_magic,
                       .version = SAVED_VERSION,
                       .n = (uint64_t)state->n,
                       .m = (uint64_t)state->m,
                       .twists = (uint64_t)state->twists};
    olo_bytes bytes = {
        .way = OLO_BYTES_SAVE, .block = (unsigned char *)block + sizeof head, .size = size};
    pass_fields(&bytes, (olo_state *)state); /* saving only reads it */
    head.checksum = olo_checksum(0, bytes.block, size);
    memcpy(block, &head, sizeof head);
}

olo_status olo_state_load(olo_state *state, const void *block, size_t size, olo_error *error)
{
    saved_head head = {0};
    if (size >= sizeof head)
        memcpy(&head, block, sizeof head);
    if (head.magic != saved_magic)
        return olo_fail(error, OLO_BAD_INPUT, "there is no saved state");
    if (head.version != SAVED_VERSION)
        return olo_fail(error, OLO_UNSUPPORTED, "the saved state has version %llu, known is %d",
                        (unsigned long long)head.version, SAVED_VERSION);
    if (head.n != (uint64_t)state->n || head.m != (uint64_t)state->m ||
        head.twists != (uint64_t)state->twists || size != olo_state_saved_size(state))
        return olo_fail(error, OLO_BAD_INPUT, "the saved state belongs to another system");
    olo_bytes bytes = {.way = OLO_BYTES_LOAD,
                       .block = (unsigned char *)block + sizeof head,
                       .size = size - sizeof head};
    if (olo_checksum(0, bytes.block, bytes.size) != head.checksum)
        return olo_fail(error, OLO_BAD_INPUT, "the saved state is damaged");
    pass_fields(&bytes, state);
    const bool sensible = !bytes.strange && state->equal >= 0 &&
                          state->equal <= OLO_PREDICTOR_MOTIONS && state->predictor_order >= 0 &&
                          state->predictor_order <= OLO_PREDICTOR_MOTIONS;
    return sensible ? OLO_OK : olo_fail(error, OLO_BAD_INPUT, "the saved state is damaged");
}

void olo_state_free(olo_state *state)
{
    olo_free(state);
}

double olo_state_time(const olo_state *state)
{
    return state->t;
}

void olo_state_set_time(olo_state *state, double t)
{
    state->t = t;
}

const double *olo_state_configuration(const olo_state *state)
{
    return state->q;
}

const double *olo_state_velocity(const olo_state *state)
{
    return state->v;
}

void olo_state_set_configuration(const olo_system *system, olo_state *state, const double *q)
{
    memcpy(state->q, q, (size_t)state->n * sizeof *q);
    olo_state_reset_history(state);
    olo_state_follow_angles(system, state);
}

void olo_state_set_velocity(olo_state *state, const double *v)
{
    memcpy(state->v, v, (size_t)state->n * sizeof *v);
    olo_state_reset_history(state);
}

void olo_state_reset_history(olo_state *state)
{
    memset(state->q_remainder, 0, (size_t)state->n * sizeof(double));
    memset(state->motion, 0, (size_t)state->twists * sizeof(double));
    memset(state->wrench, 0, (size_t)state->twists * sizeof(double));
    memset(state->lambda, 0, (size_t)state->m * sizeof(double));
    state->h = state->h_before = state->span = state->next = state->error_before = 0;
    state->smooth = state->from_momentum = state->pending = false;
    state->equal = state->predictor_order = 0;
}

void olo_state_reverse(olo_state *state)
{
    for (int i = 0; i < state->n; i++)
        state->v[i] = -state->v[i];
    for (int i = 0; i < state->twists; i++)
        state->motion[i] = -state->motion[i];
    state->smooth = state->from_momentum = state->pending = false;
    state->equal = state->predictor_order = 0;
}

const double *olo_state_multipliers(const olo_state *state)
{
    return state->lambda;
}
