/* The cost of one rigid body: runs a model of the catalogue. Modes as in scene.h.
 *
 *     rigid_body MODEL STEPS step|ledger|record [TREATMENT]
 */
#include "scene.h"

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: rigid_body MODEL STEPS step|ledger|record [TREATMENT]\n");
        return 2;
    }
    scene x = {.model_name = argv[1],
               .steps = atol(argv[2]),
               .mode = argv[3],
               .treatment = argc > 4 ? argv[4] : "reduced"};
    return scene_run(&x);
}
