// Result<T>: a value, or an Error that says what failed, where, why and what to do about it.
//
// No exception crosses a package. A function that can fail returns Result<T> (tl::expected, whose
// interface is that of C++23's std::expected); a broken precondition of the programmer aborts
// (RAILGAUGE_CHECK).
#ifndef RAILGAUGE_LIB_BASE_RESULT_H_
#define RAILGAUGE_LIB_BASE_RESULT_H_

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace railgauge {

// What failed, as one line for a person. Every part may be empty but `operation`.
struct Error {
  std::string operation;  // what was tried: "ibv_reg_mr", "read scenario"
  std::string object;     // on what: a device, a place, "file.yaml:12"
  std::string reason;     // why: an errno by name and text, a completion status, or plain words
  std::string advice;     // what the reader can do; a full sentence without its stop
  int error_number = 0;   // the errno where there was one

  // "operation object: reason. Advice." on one line, control characters replaced.
  std::string ToString() const;
};

template <typename T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

// An Error from an errno value: reason is "EACCES (Permission denied)". Where a limit of open files
// is the reason, the advice is to raise it, whatever `advice` says; without `advice`, the same for
// memory.
Error ErrnoError(int error_number, std::string operation, std::string object = "",
                 std::string advice = "");

// An Error whose reason is plain words.
Error MakeError(std::string operation, std::string object, std::string reason,
                std::string advice = "");

// "EACCES", "ENOMEM", …; "errno 4711" for a value libc has no name for.
std::string ErrnoName(int error_number);

// `text` with control characters replaced by '?', so that a name from outside cannot break a line
// of output or drive a terminal.
std::string Printable(std::string_view text);

inline tl::unexpected<Error> Fail(Error error) { return tl::unexpected<Error>(std::move(error)); }

namespace internal {
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition);
}  // namespace internal

}  // namespace railgauge

// Aborts with file, line and condition: for what only a programmer can get wrong.
#define RAILGAUGE_CHECK(condition)    \
  ((condition) ? static_cast<void>(0) \
               : ::railgauge::internal::CheckFailed(__FILE__, __LINE__, #condition))

#define RAILGAUGE_CONCAT_(a, b) a##b
#define RAILGAUGE_CONCAT(a, b) RAILGAUGE_CONCAT_(a, b)

// RAILGAUGE_RETURN_IF_ERROR(DoIt()): returns the Error to the caller.
#define RAILGAUGE_RETURN_IF_ERROR(expression)                        \
  do {                                                               \
    if (auto railgauge_status = (expression); !railgauge_status)     \
      return ::railgauge::Fail(std::move(railgauge_status).error()); \
  } while (false)

// RAILGAUGE_ASSIGN_OR_RETURN(auto x, F()): x is the value, or the Error is returned.
#define RAILGAUGE_ASSIGN_OR_RETURN(declaration, expression)                               \
  RAILGAUGE_ASSIGN_OR_RETURN_(RAILGAUGE_CONCAT(railgauge_result_, __LINE__), declaration, \
                              expression)
#define RAILGAUGE_ASSIGN_OR_RETURN_(result, declaration, expression) \
  auto result = (expression);                                        \
  if (!result) return ::railgauge::Fail(std::move(result).error());  \
  declaration = *std::move(result)

#endif  // RAILGAUGE_LIB_BASE_RESULT_H_
