/* Four nodes at once: inertia, tangent and motion are those of single nodes and of the mass matrix,
 * and the bits do not depend on how the kernels were compiled. */
#include "scene.h"

#include "stepping/frame_packs.h"

enum { BODIES = 7, MOST = 400, NODES = 60 };

/* `bodies` bodies without symmetry, a beam, whose mass couples its frames, and a rod of 6 edges
 * with as many triads, 5 points and a frame at each end; with the point there are 6 points. */
static scene open_scene(int bodies)
{
    char text[4000];
    size_t at = (size_t)snprintf(
        text, sizeof text,
        "points: {name: p, mass: 1, position: [0, 0, 1]}\n"
        "beams:\n  - {name: w, elements: 2, points: [[0, 5, 0], [1, 5, 0]], inertia: [1, 0.03, "
        "0.05, 0.1, 0.2, 0.01],\n"
        "        stiffness: [900, 700, 700, 9, 8, 7]}\n"
        "  - {name: rod, discretisation: edges, elements: 6, from: [0, 9, 0], to: [3, 9, 0],\n"
        "     inertia: [1, 0.2, 0.3], stiffness: [900, 700, 700, 9, 8, 7]}\nbodies:\n");
    for (int i = 0; i < bodies; i++)
        at += (size_t)snprintf(text + at, sizeof text - at,
                               "  - {name: b%d, mass: %d, center: [0.1, %g, 0.05],\n"
                               "     inertia: [3, 4, 5, 0.1, 0.2, 0.3], position: [%d, 0, 0],\n"
                               "     velocity: [1, 0.3, 0], angular_velocity: [1, 2, 3]}\n",
                               i, i + 1, 0.02 * i, i);
    return scene_open(text, "reduced");
}

/* Arrays of any numbers; directors are not orthonormal, as in no step. */
typedef struct sample {
    scene s;
    olo_frame_packs packs;
    double q0[MOST], dq[MOST], qm[MOST], q1[MOST], motion[MOST], v[MOST], force[MOST];
    olo_motion x;
} sample;

static void sample_open(sample *x, int bodies, bool plain)
{
    unsigned long long seed = 77;
    memset(x, 0, sizeof *x);
    x->s = open_scene(bodies);
    assert_true(x->s.system->n <= MOST);
    for (int i = 0; i < MOST; i++) {
        x->q0[i] = scene_random(&seed);
        x->dq[i] = scene_random(&seed);
        x->qm[i] = scene_random(&seed);
        x->q1[i] = scene_random(&seed);
        x->motion[i] = 0.5 * scene_random(&seed);
        x->v[i] = scene_random(&seed);
        x->force[i] = scene_random(&seed);
    }
    x->x = (olo_motion){.q0 = x->q0, .dq = x->dq, .qm = x->qm, .q1 = x->q1, .motion = x->motion};
    check_true(olo_frame_packs_create(x->s.system, plain, &x->packs));
}

static void sample_close(sample *x)
{
    olo_frame_packs_free(&x->packs);
    scene_close(&x->s);
}

static bool is_coupled(const olo_system *s, int k)
{
    for (int e = 0; e < s->mass_count; e++) {
        const int a = s->coordinates[s->mass[e].i].node, b = s->coordinates[s->mass[e].j].node;
        if (a != b && (a == k || b == k))
            return true;
    }
    return false;
}

TEST(every_node_is_in_one_pack_or_in_the_rest)
{
    for (int bodies = 1; bodies <= BODIES; bodies++) {
        static sample x;
        int seen[NODES] = {0}, weighed[NODES] = {0}, frames = 0, last = 0;
        sample_open(&x, bodies, false);
        const olo_system *s = x.s.system;
        for (int i = 0; i < x.packs.count; i++)
            for (int l = 0; l < x.packs.pack[i].count; l++) {
                const int k = x.packs.pack[i].node[l];
                seen[k]++;
                weighed[k]++;
            }
        for (int i = 0; i < x.packs.rest_count; i++)
            seen[x.packs.rest[i]]++;
        for (int i = 0; i < x.packs.alone_count; i++)
            weighed[x.packs.alone[i]]++;
        if (x.packs.single >= 0)
            weighed[x.packs.single]++;
        for (int k = 0; k < s->node_count; k++)
            check_true(seen[k] == 1 && weighed[k] == 1);
        /* a body is single, unless the last frame is coupled */
        for (int k = 0; k < s->node_count; k++)
            if (s->nodes[k].type->spatial) {
                frames++;
                last = k;
            }
        check_equal(bodies + 2 + 3, frames);
        check_equal(frames % 4 == 1 && !is_coupled(s, last), x.packs.single >= 0);
        /* the mass of a beam of two elements couples two pairs, and nothing is left */
        check_equal(0, x.packs.loose_count);
        check_equal(1, x.packs.pair_count);
        check_equal(2, x.packs.pair[0].count);
        sample_close(&x);
    }
}

/* T = M ((2/h) dq - 2 v0) + h f, or M (2/h) dq - 2 p0 + h f */
TEST(inertia_is_that_of_the_mass_matrix)
{
    static sample x;
    const double h = 0.1;
    sample_open(&x, BODIES, false);
    for (int from_momentum = 0; from_momentum < 2; from_momentum++) {
        double T[MOST] = {0}, change[MOST], expected[MOST];
        const olo_frame_inertia inertia = {.h = h,
                                           .dq = x.dq,
                                           .start = x.v,
                                           .constant = x.force,
                                           .from_momentum = from_momentum,
                                           .T = T};
        for (int i = 0; i < x.s.system->n; i++)
            change[i] = 2 / h * x.dq[i] - (from_momentum ? 0 : 2 * x.v[i]);
        olo_system_mass_times(x.s.system, change, expected);
        for (int i = 0; i < x.packs.count; i++)
            x.packs.kernels->set_inertia(&x.packs.pack[i], &inertia);
        for (int i = 0; i < x.packs.pair_count; i++)
            x.packs.kernels->add_inertia(&x.packs.pair[i], &inertia);
        for (int i = 0; i < x.packs.count; i++) {
            const olo_frame_pack *pack = &x.packs.pack[i];
            for (int l = 0; l < pack->count; l++)
                for (int j = pack->q[l]; j < pack->q[l] + x.s.system->nodes[pack->node[l]].size;
                     j++)
                    check_close(expected[j] + h * x.force[j] - (from_momentum ? 2 * x.v[j] : 0),
                                T[j], 1e-12);
        }
    }
    sample_close(&x);
}

/* The tangent of one node from unit twists, as P_int(left)^T M P_int(q1) and the variation. */
static void check_blocks(const sample *x, const olo_frame_tangent *at, int k, const double *K,
                         const double *right)
{
    const olo_node *node = &x->s.system->nodes[k];
    const int twists = node->twist;
    double S[36] = {0}, w[6] = {0};
    for (int j = 0; j < twists; j++) {
        double twist[6] = {0}, v[MOST] = {0}, p[MOST];
        twist[j] = 1;
        node->type->velocity(at->q1 + node->q, twist, v + node->q);
        olo_system_mass_times(x->s.system, v, p);
        for (int i = 0; i < twists; i++) {
            double unit[6] = {0}, row[12];
            unit[i] = 1;
            node->type->velocity(at->left + node->q, unit, row);
            for (int c = 0; c < node->size; c++)
                S[twists * i + j] += at->factor * row[c] * p[node->q + c];
        }
    }
    if (at->varied && node->type->add_variation)
        node->type->add_variation(at->q1 + node->q, at->T + node->q, S);
    node->type->add_wrench(at->left + node->q, at->T + node->q, w);
    for (int i = 0; i < 36; i++)
        check_close(1 + (i < twists * twists ? S[i] : 0), K[i], 1e-12 * (1 + fabs(S[i])));
    for (int i = 0; i < 6; i++)
        check_close(2 + (i < twists ? w[i] : 0), right[i], 1e-12);
}

TEST(tangents_are_those_of_unit_twists)
{
    static sample x;
    sample_open(&x, BODIES, false);
    for (int varied = 0; varied < 2; varied++) {
        const olo_frame_tangent at = {
            .factor = 3.7, .varied = varied, .T = x.force, .left = x.qm, .q1 = x.q1};
        for (int i = 0; i < x.packs.count; i++) {
            const olo_frame_pack *pack = &x.packs.pack[i];
            double K[LANES][36], right[LANES][6];
            olo_frame_blocks to;
            for (int l = 0; l < LANES; l++) {
                to.K[l] = K[l];
                to.right[l] = right[l];
                for (int j = 0; j < 36; j++)
                    K[l][j] = 1;
                for (int j = 0; j < 6; j++)
                    right[l][j] = 2;
            }
            x.packs.kernels->fill(pack, &at, &to);
            for (int l = 0; l < pack->count; l++)
                check_blocks(&x, &at, pack->node[l], K[l], right[l]);
            /* nothing is added to further lanes */
            for (int l = pack->count; l < LANES; l++)
                check_true(K[l][0] == 1 && right[l][0] == 2);
        }
    }
    sample_close(&x);
}

/* The block of node a by the twist of another node b: P_int(left)^T M P_int(q1). */
static void check_pair(const sample *x, double factor, int a, int b, const double *K)
{
    const olo_node *from = &x->s.system->nodes[a], *to = &x->s.system->nodes[b];
    for (int j = 0; j < 6; j++) {
        double twist[6] = {0}, v[MOST] = {0}, p[MOST];
        twist[j] = 1;
        to->type->velocity(x->q1 + to->q, twist, v + to->q);
        olo_system_mass_times(x->s.system, v, p);
        for (int i = 0; i < 6; i++) {
            double unit[6] = {0}, row[12], sum = 1;
            unit[i] = 1;
            from->type->velocity(x->qm + from->q, unit, row);
            for (int c = 0; c < 12; c++)
                sum += factor * row[c] * p[from->q + c];
            check_close(sum, K[6 * i + j], 1e-12 * (1 + fabs(sum)));
        }
    }
}

/* Masses of any number between all vectors of two frames; the same bits on every processor. */
TEST(blocks_of_coupled_frames_are_those_of_unit_twists)
{
    static sample x;
    unsigned long long seed = 9;
    sample_open(&x, 1, false);
    for (int e = 0; e < x.s.system->mass_count; e++)
        ((olo_mass_entry *)x.s.system->mass)[e].m = scene_random(&seed);
    for (int plain = 0; plain < 2; plain++) {
        static double first[2][LANES][36];
        olo_frame_packs packs;
        check_true(olo_frame_packs_create(x.s.system, plain, &packs));
        for (int i = 0; i < packs.pair_count; i++) {
            const olo_frame_pair *pair = &packs.pair[i];
            double K[2][LANES][36];
            olo_pair_blocks to;
            for (int k = 0; k < 2 * LANES * 36; k++)
                K[k / (LANES * 36)][k / 36 % LANES][k % 36] = 1;
            for (int l = 0; l < 2 * LANES; l++)
                to.K[l / LANES][l % LANES] = K[l / LANES][l % LANES];
            packs.kernels->fill_pair(pair, 3.7, x.qm, x.q1, &to);
            for (int l = 0; l < pair->count; l++)
                for (int side = 0; side < 2; side++)
                    check_pair(&x, 3.7, pair->node[side][l], pair->node[1 - side][l], K[side][l]);
            check_true(pair->count == LANES || K[0][LANES - 1][0] == 1);
            if (i == 0 && plain)
                check_true(memcmp(first, K, sizeof K) == 0);
            if (i == 0)
                memcpy(first, K, sizeof K);
        }
        olo_frame_packs_free(&packs);
    }
    sample_close(&x);
}

/* The twists of an update, by the motion of each node. */
static void update_all(sample *x, const double *twists, olo_frame_measures *measures)
{
    for (int i = 0; i < x->packs.count; i++) {
        const olo_frame_pack *pack = &x->packs.pack[i];
        const double *twist[LANES];
        for (int l = 0; l < LANES; l++)
            twist[l] = twists + pack->motion[l];
        x->packs.kernels->update(pack, twist, 0.3, &x->x, &measures[i]);
    }
}

TEST(updates_have_the_bits_of_single_nodes_on_every_processor)
{
    static sample x, plain;
    double twists[MOST];
    unsigned long long seed = 5;
    olo_frame_measures measures[NODES], same[NODES];
    for (int i = 0; i < MOST; i++)
        twists[i] = scene_random(&seed);
    sample_open(&x, BODIES, false);
    sample_open(&plain, BODIES, true);
    const sample before = x;
    update_all(&x, twists, measures);
    update_all(&plain, twists, same);
    for (int i = 0; i < x.packs.count; i++)
        for (int l = 0; l < x.packs.pack[i].count; l++) {
            const olo_node *node = &x.s.system->nodes[x.packs.pack[i].node[l]];
            const double *twist = twists + node->motion, *was = before.motion + node->motion;
            const size_t numbers = (size_t)node->size * sizeof *twists,
                         own = (size_t)node->twist * sizeof *twists;
            double motion[6], dq[12], qm[12], q1[12];
            memcpy(motion, was, own);
            node->type->update(twist, motion);
            node->type->move(motion, x.q0 + node->q, dq, qm, q1);
            check_true(memcmp(motion, x.motion + node->motion, own) == 0);
            check_true(memcmp(dq, x.dq + node->q, numbers) == 0);
            check_true(memcmp(qm, x.qm + node->q, numbers) == 0);
            check_true(memcmp(q1, x.q1 + node->q, numbers) == 0);
            const int shift = node->type->translation, turn = node->type->rotation;
            const double turned = turn < 0 ? 0 : norm3(was + turn);
            check_close((shift < 0 ? 0 : 0.3 * norm3(twist + shift)) +
                            (turn < 0 ? 0 : norm3(twist + turn)),
                        measures[i].change[l], 1e-14);
            check_close((shift < 0 ? 0 : 0.3 * norm3(was + shift)) + turned, measures[i].size[l],
                        1e-14);
            check_close(turned, measures[i].turn[l], 1e-14);
            check_true(measures[i].change[l] == same[i].change[l]);
        }
    check_true(memcmp(x.q1, plain.q1, sizeof x.q1) == 0);
    sample_close(&x);
    sample_close(&plain);
}

/* v = P_int(q) t, P_int^T r and -dP_int[v_m]^T r are those of the types of nodes, on every
 * processor. P_int is affine in q, so that the last is its value at 0 less that at v_m. */
TEST(velocities_and_loads_are_those_of_single_nodes)
{
    static sample x;
    static const double none[MOST] = {0};
    sample_open(&x, BODIES, false);
    const olo_system *s = x.s.system;
    const olo_frame_kernels *const kernels[] = {&olo_frame_kernels_plain, x.packs.kernels};
    for (int i = 0; i < 2; i++) {
        double v[MOST] = {0}, wrench[MOST] = {0}, load[MOST] = {0};
        const olo_frame_load at = {
            .qm = x.qm, .mean = x.v, .r = x.force, .wrench = wrench, .load = load};
        for (int p = 0; p < x.packs.count; p++) {
            kernels[i]->velocity(&x.packs.pack[p], x.q1, x.motion, v);
            kernels[i]->load(&x.packs.pack[p], &at);
        }
        for (int p = 0; p < x.packs.count; p++)
            for (int l = 0; l < x.packs.pack[p].count; l++) {
                const olo_node *node = &s->nodes[x.packs.pack[p].node[l]];
                double moved[12], own[6], moving[6], still[6];
                node->type->velocity(x.q1 + node->q, x.motion + node->motion, moved);
                olo_node_wrench(node, x.qm, x.force, own);
                olo_node_wrench(node, x.v, x.force, moving);
                olo_node_wrench(node, none, x.force, still);
                for (int k = 0; k < node->size; k++)
                    check_close(moved[k], v[node->q + k], 1e-15);
                for (int k = 0; k < node->twist; k++) {
                    check_close(own[k], wrench[node->motion + k], 1e-14);
                    check_close(still[k] - moving[k], load[node->motion + k], 1e-14);
                }
            }
    }
    sample_close(&x);
}

/* With four bodies, the ends of the rod and the frames of the beam one frame is single, with five
 * all are in packs. The bodies do not interact, so that the last of four moves equally. */
TEST(single_frames_have_the_bits_of_packs)
{
    scene four = open_scene(4), five = open_scene(5);
    int of_four = -1, of_five = -1;
    scene_run(&four, 0.01, 5);
    scene_run(&five, 0.01, 5);
    for (int k = 0; k < four.system->node_count; k++)
        if (strcmp(four.system->nodes[k].name, "b3") == 0)
            of_four = four.system->nodes[k].q;
    for (int k = 0; k < five.system->node_count; k++)
        if (strcmp(five.system->nodes[k].name, "b3") == 0)
            of_five = five.system->nodes[k].q;
    check_true(memcmp(four.state->q + of_four, five.state->q + of_five, 12 * sizeof(double)) == 0);
    check_true(memcmp(four.state->v + of_four, five.state->v + of_five, 12 * sizeof(double)) == 0);
    scene_close(&four);
    scene_close(&five);
}

TEST_MAIN(cmocka_unit_test(every_node_is_in_one_pack_or_in_the_rest),
          cmocka_unit_test(inertia_is_that_of_the_mass_matrix),
          cmocka_unit_test(tangents_are_those_of_unit_twists),
          cmocka_unit_test(blocks_of_coupled_frames_are_those_of_unit_twists),
          cmocka_unit_test(velocities_and_loads_are_those_of_single_nodes),
          cmocka_unit_test(updates_have_the_bits_of_single_nodes_on_every_processor),
          cmocka_unit_test(single_frames_have_the_bits_of_packs))
