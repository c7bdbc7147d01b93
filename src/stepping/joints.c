/* The blocks of a tree: a node each, then the closures; coupled by joints, forces and closure rows. */
#include "stepping/joints.h"

#include "base/fail.h"
#include "base/memory.h"

static olo_status create_elimination(const olo_tree *tree, olo_projector *projector,
                                     olo_elimination **elimination, olo_error *error)
{
    const olo_system *s = tree->system;
    int count = s->node_count + tree->closure_block_count, edge_count = 0;
    olo_block *blocks = olo_alloc((size_t)count, sizeof *blocks);
    int *edges = olo_projector_edges(projector, tree, &edge_count);
    olo_status status = OLO_NO_MEMORY;
    if (blocks && edges) {
        for (int k = 0; k < s->node_count; k++)
            blocks[k] = (olo_block){.size = s->nodes[k].twist,
                                    .dof = tree->nodes[k].dof,
                                    .parent = tree->nodes[k].parent,
                                    .plain = !tree->nodes[k].type,
                                    .spatial = tree->nodes[k].type && tree->nodes[k].type->spatial};
        for (int i = 0; i < tree->closure_block_count; i++)
            blocks[s->node_count + i] =
                (olo_block){.size = tree->closure_blocks[i].count,
                            .dof = tree->closure_blocks[i].count,
                            .parent = -1,
                            .last = true,
                            .relative = olo_closure_is_relative(s, &tree->closure_blocks[i])};
        status = olo_elimination_create(count, blocks, edge_count, edges, elimination, error);
    } else {
        olo_fail(error, status, "out of memory for the elimination of a tree");
    }
    olo_free(blocks);
    olo_free(edges);
    if (status == OLO_OK)
        olo_projector_bind(projector, *elimination);
    return status;
}

olo_status olo_joints_create(const olo_system *system, olo_tree **tree, olo_projector **projector,
                             olo_elimination **elimination, olo_error *error)
{
    olo_status status = olo_tree_create(system, tree, error);
    if (status == OLO_OK)
        status = olo_projector_create(system, *tree, projector, error);
    if (status == OLO_OK)
        status = create_elimination(*tree, *projector, elimination, error);
    return status;
}
