// What fmt's library holds, compiled once from the headers of whatever release is installed: the two
// templates are the ones that they declare `extern` (8 to 11). third_party/pkg_config tries it and
// falls back to FMT_HEADER_ONLY, with which every user of fmt::format() compiles all of it again.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

template auto thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template auto decimal_point_impl<char>(locale_ref) -> char;

}  // namespace detail
FMT_END_NAMESPACE
