/* Cost over size: a chain of n bodies, connected by hinges (the model `chain`) or by ball joints
 * (`hanging-chain`). Modes as in scene.h.
 *
 *     chain MODEL N STEPS step|ledger|record
 */
#include "scene.h"

int main(int argc, char **argv)
{
    if (argc < 5) {
        fprintf(stderr, "usage: chain MODEL N STEPS step|ledger|record\n");
        return 2;
    }
    scene x = {.model_name = argv[1],
               .n = argv[2],
               .steps = atol(argv[3]),
               .mode = argv[4],
               .treatment = "reduced"};
    return scene_run(&x);
}
