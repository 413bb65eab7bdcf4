# The headers of workspan: workspan::workspan for regions and home-made runtimes, workspan::tbb for programs over oneTBB.
# Nothing is linked: the library comes with `workspan run`.
get_filename_component(_workspan_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

if(NOT TARGET workspan::workspan)
    add_library(workspan::workspan INTERFACE IMPORTED)
    # Else the linker decides, in a program at fixed addresses, that what is not there will never be.
    set_target_properties(workspan::workspan PROPERTIES
        INTERFACE_COMPILE_OPTIONS "-fno-plt"
        INTERFACE_INCLUDE_DIRECTORIES "${_workspan_prefix}/include")
endif()

if(NOT TARGET workspan::tbb)
    add_library(workspan::tbb INTERFACE IMPORTED)
    # Before the directories of oneTBB, which are the system's or come as such.
    set_target_properties(workspan::tbb PROPERTIES
        INTERFACE_COMPILE_OPTIONS "-I${_workspan_prefix}/include/workspan/overlay"
        INTERFACE_LINK_LIBRARIES workspan::workspan)
endif()
