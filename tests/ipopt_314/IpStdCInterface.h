/* The part of the C interface of Ipopt 3.14 that control/ipopt.c uses, so that it is compiled with
 * the types of that version, too, where only 3.11 is installed: bool, ipindex and ipnumber instead
 * of Bool, Index and Number, which are deprecated there. */
#ifndef OLO_TESTS_IPOPT_314_H
#define OLO_TESTS_IPOPT_314_H

#include <stdbool.h>

typedef double ipnumber;
typedef int ipindex;
typedef struct IpoptProblemInfo *IpoptProblem;
typedef void *UserDataPtr;

enum ApplicationReturnStatus {
    Solve_Succeeded = 0,
    Solved_To_Acceptable_Level = 1,
    Infeasible_Problem_Detected = 2,
    Search_Direction_Becomes_Too_Small = 3,
    Diverging_Iterates = 4,
    User_Requested_Stop = 5,
    Feasible_Point_Found = 6,
    Maximum_Iterations_Exceeded = -1,
    Restoration_Failed = -2,
    Error_In_Step_Computation = -3,
    Maximum_CpuTime_Exceeded = -4,
    Maximum_WallTime_Exceeded = -5,
    Not_Enough_Degrees_Of_Freedom = -10,
    Invalid_Problem_Definition = -11,
    Invalid_Option = -12,
    Invalid_Number_Detected = -13,
    Unrecoverable_Exception = -100,
    NonIpopt_Exception_Thrown = -101,
    Insufficient_Memory = -102,
    Internal_Error = -199
};

typedef bool (*Eval_F_CB)(ipindex n, ipnumber *x, bool new_x, ipnumber *value, UserDataPtr data);
typedef bool (*Eval_Grad_F_CB)(ipindex n, ipnumber *x, bool new_x, ipnumber *gradient,
                               UserDataPtr data);
typedef bool (*Eval_G_CB)(ipindex n, ipnumber *x, bool new_x, ipindex m, ipnumber *g,
                          UserDataPtr data);
typedef bool (*Eval_Jac_G_CB)(ipindex n, ipnumber *x, bool new_x, ipindex m, ipindex count,
                              ipindex *row, ipindex *column, ipnumber *values, UserDataPtr data);
typedef bool (*Eval_H_CB)(ipindex n, ipnumber *x, bool new_x, ipnumber factor, ipindex m,
                          ipnumber *lambda, bool new_lambda, ipindex count, ipindex *row,
                          ipindex *column, ipnumber *values, UserDataPtr data);
typedef bool (*Intermediate_CB)(ipindex mode, ipindex iteration, ipnumber value, ipnumber inf_pr,
                                ipnumber inf_du, ipnumber mu, ipnumber d_norm,
                                ipnumber regularisation, ipnumber alpha_du, ipnumber alpha_pr,
                                ipindex trials, UserDataPtr data);

IpoptProblem CreateIpoptProblem(ipindex n, ipnumber *x_lower, ipnumber *x_upper, ipindex m,
                                ipnumber *g_lower, ipnumber *g_upper, ipindex jacobian,
                                ipindex hessian, ipindex index_style, Eval_F_CB f, Eval_G_CB g,
                                Eval_Grad_F_CB grad_f, Eval_Jac_G_CB jac_g, Eval_H_CB h);
void FreeIpoptProblem(IpoptProblem problem);
bool AddIpoptStrOption(IpoptProblem problem, char *keyword, char *value);
bool AddIpoptNumOption(IpoptProblem problem, char *keyword, ipnumber value);
bool AddIpoptIntOption(IpoptProblem problem, char *keyword, ipindex value);
bool SetIntermediateCallback(IpoptProblem problem, Intermediate_CB callback);
enum ApplicationReturnStatus IpoptSolve(IpoptProblem problem, ipnumber *x, ipnumber *g,
                                        ipnumber *objective, ipnumber *mult_g, ipnumber *mult_x_L,
                                        ipnumber *mult_x_U, UserDataPtr data);

#endif
