/* The cost of a step of a scheme. Modes as in scene.h.
 *
 *     schemes MODEL N|- STEPS step|ledger|record SCHEME STEP
 */
#include "scene.h"

int main(int argc, char **argv)
{
    if (argc < 7) {
        fprintf(stderr, "usage: schemes MODEL N|- STEPS step|ledger|record SCHEME STEP\n");
        return 2;
    }
    scene x = {.model_name = argv[1],
               .n = strcmp(argv[2], "-") == 0 ? NULL : argv[2],
               .steps = atol(argv[3]),
               .mode = argv[4],
               .scheme = argv[5],
               .step = atof(argv[6]),
               .treatment = "reduced"};
    return scene_run(&x);
}
