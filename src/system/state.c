/* States: one block of memory that is copied and saved as a whole, including its segments. */
#include "system/state.h"

#include <stddef.h>
#include <string.h>

#include "base/checksum.h"
#include "base/fail.h"
#include "base/memory.h"
#include "system/coordinate.h"
#include "system/system.h"

/* --- layout --- */

static size_t segment_numbers(const olo_segment *segment, const olo_state *x)
{
    return (size_t)(segment->fixed + segment->n * x->n + segment->m * x->m +
                    segment->twists * x->twists +
                    segment->joint_coordinates * x->joint_coordinates +
                    segment->drives * x->drives + segment->events * x->events +
                    segment->latched * x->latched);
}

/* The number of doubles that follow the struct, and the number of segments. */
static size_t number_count(const olo_state *x, size_t *segments)
{
    size_t count = 3 * (size_t)x->n + (size_t)x->joint_coordinates + 2 * (size_t)x->drives +
                   2 * (size_t)x->parts + (size_t)x->n + (size_t)x->m +
                   6 * (size_t)x->reaction_count +
                   OLO_CONTACT_RECORD_NUMBERS * (size_t)x->contact_count;
    for (*segments = 0; x->segments[*segments]; ++*segments)
        count += segment_numbers(x->segments[*segments], x);
    return count;
}

/* Sets the pointers of a state into its block. */
static void point_into(olo_state *state)
{
    double *at = state->numbers;
    state->q = at;
    state->q_remainder = at += state->n;
    state->v = at += state->n;
    state->angles = at += state->n;
    state->drive_work = at += state->joint_coordinates;
    state->drive_force = at += state->drives;
    state->received = (olo_sum *)(at += state->drives);
    state->v_before = at += 2 * state->parts;
    state->lambda = at += state->n;
    state->reactions = at += state->m;
    state->contacts = (olo_contact_record *)(at += 6 * state->reaction_count);
    at += OLO_CONTACT_RECORD_NUMBERS * state->contact_count;
    for (int i = 0; state->segments[i]; i++) {
        state->segment[i] = at;
        at += segment_numbers(state->segments[i], state);
    }
}

/* A zeroed state with the sizes and segments of `like`. */
static olo_state *allocate(const olo_state *like)
{
    size_t segments, numbers = number_count(like, &segments);
    olo_state *state =
        olo_alloc(1, sizeof *state + numbers * sizeof(double) + segments * sizeof *state->segment);
    if (!state)
        return NULL;
    state->n = like->n;
    state->m = like->m;
    state->twists = like->twists;
    state->joint_coordinates = like->joint_coordinates;
    state->reaction_count = like->reaction_count;
    state->contact_count = like->contact_count;
    state->drives = like->drives;
    state->events = like->events;
    state->latched = like->latched;
    state->parts = like->parts;
    state->segments = like->segments;
    state->segment = (void **)(state->numbers + numbers);
    state->size = offsetof(olo_state, numbers) + numbers * sizeof(double) - offsetof(olo_state, t);
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
                             .contact_count = system->contact_count,
                             .drives = system->drive_count,
                             .events = system->event_count,
                             .latched = system->latched_count,
                             .parts = system->part_count > 1 ? system->part_count : 0,
                             .segments = system->segments};
    *state = allocate(&sizes);
    return *state ? OLO_OK : olo_fail(error, OLO_NO_MEMORY, "out of memory for a state");
}

/* The block that is copied and saved: `size` bytes. */
static unsigned char *block_of(const olo_state *state)
{
    return (unsigned char *)state + offsetof(olo_state, t);
}

/* Copies the numbers of a state that mean something to another block. */
static void copy_block(const olo_state *from, unsigned char *to)
{
    const unsigned char *block = block_of(from);
    const size_t before = (size_t)((const unsigned char *)from->segment[0] - block);
    memcpy(to, block, before);
    for (int i = 0; from->segments[i]; i++) {
        const olo_segment *segment = from->segments[i];
        const size_t numbers = segment->used ? segment->used(from) : segment_numbers(segment, from),
                     at = (size_t)((const unsigned char *)from->segment[i] - block);
        memcpy(to + at, from->segment[i], numbers * sizeof(double));
    }
}

void olo_state_copy(const olo_state *from, olo_state *to)
{
    copy_block(from, block_of(to));
}

olo_status olo_state_clone(const olo_state *state, olo_state **copy, olo_error *error)
{
    *copy = allocate(state);
    if (!*copy)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for a state");
    olo_state_copy(state, *copy);
    return OLO_OK;
}

/* --- saving and loading --- */

/* Increased when the layout above changes. Segments are identified by names and sizes instead. */
enum { SAVED_VERSION = 12 };
static const uint64_t saved_magic =
    UINT64_C(0x6574617473206f6c); /* "lo state"; it also identifies the byte order */

typedef struct saved_head {
    uint64_t magic, checksum; /* checksum of the block after the head */
    uint64_t version, n, m, twists;
    uint64_t segments; /* checksum of their names and sizes */
} saved_head;

static uint64_t segments_checksum(const olo_state *state)
{
    uint32_t sum = 0;
    for (int i = 0; state->segments[i]; i++) {
        const char *name = state->segments[i]->name;
        const uint64_t size = segment_numbers(state->segments[i], state);
        sum = olo_checksum(sum, name, strlen(name) + 1);
        sum = olo_checksum(sum, &size, sizeof size);
    }
    return sum;
}

size_t olo_state_saved_size(const olo_state *state)
{
    return sizeof(saved_head) + state->size;
}

void olo_state_save(const olo_state *state, void *block)
{
    unsigned char *numbers = (unsigned char *)block + sizeof(saved_head);
    memset(numbers, 0, state->size); /* equal states have equal bytes */
    copy_block(state, numbers);
    const saved_head head = {.magic = saved_magic,
                             .checksum = olo_checksum(0, numbers, state->size),
                             .version = SAVED_VERSION,
                             .n = (uint64_t)state->n,
                             .m = (uint64_t)state->m,
                             .twists = (uint64_t)state->twists,
                             .segments = segments_checksum(state)};
    memcpy(block, &head, sizeof head);
}

/* True if all numbers of a loaded state are in their allowed ranges. */
static bool is_valid(const olo_state *state)
{
    bool valid = state->has_interval_energy == 0 || state->has_interval_energy == 1;
    for (int i = 0; valid && state->segments[i]; i++)
        if (state->segments[i]->check)
            valid = state->segments[i]->check(state);
    return valid;
}

olo_status olo_state_load(olo_state *state, const void *block, size_t size, olo_error *error)
{
    saved_head head = {0};
    if (size >= sizeof head)
        memcpy(&head, block, sizeof head);
    if (head.magic != saved_magic)
        return olo_fail(error, OLO_BAD_INPUT, "the data are not a saved state");
    if (head.version != SAVED_VERSION)
        return olo_fail(error, OLO_UNSUPPORTED,
                        "the saved state has version %llu; this version of Oloid reads %d",
                        (unsigned long long)head.version, SAVED_VERSION);
    if (head.n != (uint64_t)state->n || head.m != (uint64_t)state->m ||
        head.twists != (uint64_t)state->twists)
        return olo_fail(error, OLO_BAD_INPUT, "the saved state belongs to another system");
    if (head.segments != segments_checksum(state))
        return olo_fail(error, OLO_UNSUPPORTED,
                        "the saved state was written by a version of Oloid with other schemes; "
                        "use that version, or start a new run");
    if (size != olo_state_saved_size(state))
        return olo_fail(error, OLO_BAD_INPUT, "the saved state belongs to another system");
    if (olo_checksum(0, (const unsigned char *)block + sizeof head, state->size) != head.checksum)
        return olo_fail(error, OLO_BAD_INPUT, "the saved state is damaged");
    olo_state *loaded = allocate(state);
    if (!loaded)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for a state");
    memcpy(block_of(loaded), (const unsigned char *)block + sizeof head, state->size);
    const bool valid = is_valid(loaded);
    if (valid)
        olo_state_copy(loaded, state);
    olo_state_free(loaded);
    return valid ? OLO_OK : olo_fail(error, OLO_BAD_INPUT, "the saved state is damaged");
}

void olo_state_free(olo_state *state)
{
    olo_free(state);
}

/* --- public functions --- */

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

const double *olo_state_multipliers(const olo_state *state)
{
    return state->lambda;
}

void olo_state_reset_segments(olo_state *state)
{
    for (int i = 0; state->segments[i]; i++) {
        const olo_segment *segment = state->segments[i];
        if (segment->reset)
            segment->reset(state);
        else
            memset(state->segment[i], 0, segment_numbers(segment, state) * sizeof(double));
    }
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
    memset(state->lambda, 0, (size_t)state->m * sizeof(double));
    memset(state->drive_force, 0, (size_t)state->drives * sizeof(double));
    memset(state->q_remainder, 0, (size_t)state->n * sizeof(double));
    state->h = state->span = 0;
    state->has_interval_energy = 0;
    olo_state_reset_segments(state);
}

void olo_state_reverse(olo_state *state)
{
    for (int i = 0; i < state->n; i++)
        state->v[i] = -state->v[i];
    state->has_interval_energy = 0;
    for (int i = 0; state->segments[i]; i++)
        if (state->segments[i]->reverse)
            state->segments[i]->reverse(state);
}
