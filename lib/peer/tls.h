// TLS 1.3 with the token as an external pre-shared key (RFC 8446, section 2.2). By OpenSSL, on
// memory: bytes in, bytes out, no socket, no clock, no thread.
//
// A handshake completes only between two holders of the same token, whichever side a stranger
// takes: the server has no certificate to fall back on and the client trusts none. The key exchange
// is psk_dhe_ke, so a token that leaks later does not open what was recorded. No tickets, no early
// data, one cipher suite.
#ifndef RAILGAUGE_LIB_PEER_TLS_H_
#define RAILGAUGE_LIB_PEER_TLS_H_

#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <string_view>

#include "lib/base/result.h"
#include "lib/peer/token.h"

namespace railgauge {

// What all sessions of one side share. Not to be moved: sessions point to the token in it.
class TlsContext {
 public:
  enum class Side { kClient, kServer };

  static Result<std::unique_ptr<TlsContext>> Create(Side side, const Token& token);

  Side side() const { return side_; }
  SSL_CTX* handle() const { return context_.get(); }
  const Token& token() const { return token_; }

 private:
  struct Free {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };
  TlsContext(Side side, const Token& token) : side_(side), token_(token) {}

  Side side_;
  Token token_;
  std::unique_ptr<SSL_CTX, Free> context_;
};

class TlsSession {
 public:
  enum class State {
    kHandshake,
    kOpen,    // the other side has proven that it holds the token
    kClosed,  // the other side has said that it ends
    kFailed,  // failure() says why
  };

  // `context` must outlive it. A client's first bytes are in TakeOutput() at once.
  static Result<TlsSession> Create(const TlsContext& context);

  // Takes bytes from the network and appends what they carry to `plain`.
  void Receive(std::string_view network, std::string* plain);
  // Sends bytes to the other side; only when open.
  void Send(std::string_view plain);
  // Says that this side ends.
  void Close();
  // Bytes for the network.
  std::string TakeOutput();

  State state() const { return state_; }
  // For people: "it holds another one" of a token, "tlsv1 alert protocol version" of other
  // refusals.
  const std::string& failure() const { return failure_; }
  // The other side sent an alert: it refuses us. (Else it is we who cannot follow it.)
  bool refused() const { return refused_; }

 private:
  struct Free {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
  };
  TlsSession() = default;

  // Goes on with the handshake, where it is not done.
  void Advance();
  // Sets the state from what an SSL_* call returned; returns whether it is worth to go on.
  bool Judge(int result);

  std::unique_ptr<SSL, Free> ssl_;
  State state_ = State::kHandshake;
  std::string failure_;
  bool refused_ = false;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PEER_TLS_H_
