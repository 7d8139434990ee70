"""Every module here registers its cases when it is imported."""

from . import (active_only, backends, coalesced, file_names, first_thirteen, groups, healthy, hostile_files, mismatches,
               point_to_point, real_dumps, real_nccl_dumps, restarts, unreadable_files, waiting, wrapped_rings)
