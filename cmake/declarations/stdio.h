/* Empty: only the declarations of Oloid itself are wanted (see cmake/declarations.cmake). */
