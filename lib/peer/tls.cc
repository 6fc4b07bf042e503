#include "lib/peer/tls.h"

#include <openssl/bio.h>
#include <openssl/err.h>

#include <cstring>

namespace railgauge {
namespace {

// What the client calls the key. The token's own text says its version, so this is a constant.
constexpr std::string_view kIdentity = "railgauge";
constexpr char kCipherSuite[] = "TLS_AES_128_GCM_SHA256";
constexpr unsigned char kCipherSuiteId[] = {0x13, 0x01};

// OpenSSL's reason for a received alert is this plus the alert's number.
constexpr int kAlertOffset = SSL_AD_REASON_OFFSET;

Error OpenSslError(std::string operation) {
  char text[256];
  ERR_error_string_n(ERR_get_error(), text, sizeof(text));
  return MakeError(std::move(operation), "OpenSSL", text);
}

const Token& TokenOf(SSL* ssl) {
  return *static_cast<const Token*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)));
}

// The token as OpenSSL takes an external key: a session that never was. The caller owns it.
SSL_SESSION* SessionOf(SSL* ssl) {
  const SSL_CIPHER* cipher = SSL_CIPHER_find(ssl, kCipherSuiteId);
  SSL_SESSION* session = SSL_SESSION_new();
  const Token& token = TokenOf(ssl);
  if (session != nullptr && cipher != nullptr &&
      SSL_SESSION_set1_master_key(session, token.key.data(), token.key.size()) == 1 &&
      SSL_SESSION_set_cipher(session, cipher) == 1 &&
      SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION) == 1) {
    return session;
  }
  SSL_SESSION_free(session);
  return nullptr;
}

int UseSession(SSL* ssl, const EVP_MD*, const unsigned char** identity, size_t* length,
               SSL_SESSION** session) {
  *session = SessionOf(ssl);
  *identity = reinterpret_cast<const unsigned char*>(kIdentity.data());
  *length = kIdentity.size();
  return *session != nullptr ? 1 : 0;
}

int FindSession(SSL* ssl, const unsigned char* identity, size_t length, SSL_SESSION** session) {
  *session = nullptr;
  if (length != kIdentity.size() || std::memcmp(identity, kIdentity.data(), length) != 0) return 1;
  *session = SessionOf(ssl);
  return *session != nullptr ? 1 : 0;
}

}  // namespace

Result<std::unique_ptr<TlsContext>> TlsContext::Create(Side side, const Token& token) {
  std::unique_ptr<TlsContext> context(new TlsContext(side, token));
  const bool client = side == Side::kClient;
  context->context_.reset(SSL_CTX_new(client ? TLS_client_method() : TLS_server_method()));
  SSL_CTX* const handle = context->handle();
  if (handle == nullptr || SSL_CTX_set_min_proto_version(handle, TLS1_3_VERSION) != 1 ||
      SSL_CTX_set_ciphersuites(handle, kCipherSuite) != 1 ||
      SSL_CTX_set_num_tickets(handle, 0) != 1) {
    return Fail(OpenSslError("set up TLS 1.3"));
  }
  SSL_CTX_set_session_cache_mode(handle, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(handle, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_mode(handle, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_app_data(handle, &context->token_);
  // No authority is loaded, so a client believes no certificate at all.
  SSL_CTX_set_verify(handle, client ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
  if (client) {
    SSL_CTX_set_psk_use_session_callback(handle, UseSession);
  } else {
    SSL_CTX_set_psk_find_session_callback(handle, FindSession);
  }
  return context;
}

Result<TlsSession> TlsSession::Create(const TlsContext& context) {
  TlsSession session;
  session.ssl_.reset(SSL_new(context.handle()));
  BIO* const in = BIO_new(BIO_s_mem());
  BIO* const out = BIO_new(BIO_s_mem());
  if (session.ssl_ == nullptr || in == nullptr || out == nullptr) {
    BIO_free(in);
    BIO_free(out);
    return Fail(OpenSslError("begin a TLS session"));
  }
  // An empty buffer means "later", not "the end".
  BIO_set_mem_eof_return(in, -1);
  BIO_set_mem_eof_return(out, -1);
  SSL_set_bio(session.ssl_.get(), in, out);
  if (context.side() == TlsContext::Side::kClient) {
    SSL_set_connect_state(session.ssl_.get());
    session.Advance();
  } else {
    SSL_set_accept_state(session.ssl_.get());
  }
  return session;
}

void TlsSession::Advance() {
  if (state_ != State::kHandshake) return;
  ERR_clear_error();
  const int result = SSL_do_handshake(ssl_.get());
  if (result != 1) {
    Judge(result);
    return;
  }
  // Without the token no handshake can succeed (see above); that it was used is looked at all the
  // same, because everything rests on it.
  if (SSL_session_reused(ssl_.get()) == 1) {
    state_ = State::kOpen;
  } else {
    state_ = State::kFailed;
    failure_ = "the session does not rest on the token";
  }
}

bool TlsSession::Judge(int result) {
  switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_NONE:
      return true;
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
      return false;
    case SSL_ERROR_ZERO_RETURN:
      state_ = State::kClosed;
      return false;
    default:
      break;
  }
  state_ = State::kFailed;
  const unsigned long error = ERR_peek_last_error();
  refused_ = ERR_GET_LIB(error) == ERR_LIB_SSL && ERR_GET_REASON(error) >= kAlertOffset;
  const char* const text = ERR_reason_error_string(error);
  failure_ = text != nullptr ? text : "TLS failed";
  // What a server answers to a key that does not prove what it should (RFC 8446, 4.2.11).
  const int alert = ERR_GET_REASON(error) - kAlertOffset;
  if (refused_ && (alert == SSL_AD_ILLEGAL_PARAMETER || alert == SSL_AD_DECRYPT_ERROR)) {
    failure_ = "it holds another one";
  }
  ERR_clear_error();
  return false;
}

void TlsSession::Receive(std::string_view network, std::string* plain) {
  if (state_ == State::kFailed || state_ == State::kClosed) return;
  BIO_write(SSL_get_rbio(ssl_.get()), network.data(), static_cast<int>(network.size()));
  Advance();
  while (state_ == State::kOpen) {
    char buffer[16384];
    ERR_clear_error();
    const int length = SSL_read(ssl_.get(), buffer, sizeof(buffer));
    if (length > 0) {
      plain->append(buffer, static_cast<size_t>(length));
    } else if (!Judge(length)) {
      return;
    }
  }
}

void TlsSession::Send(std::string_view plain) {
  if (state_ != State::kOpen || plain.empty()) return;
  ERR_clear_error();
  // Into memory, which takes all of it.
  const int written = SSL_write(ssl_.get(), plain.data(), static_cast<int>(plain.size()));
  if (written <= 0) Judge(written);
}

void TlsSession::Close() {
  if (state_ != State::kOpen) return;
  ERR_clear_error();
  SSL_shutdown(ssl_.get());
}

std::string TlsSession::TakeOutput() {
  std::string bytes;
  char buffer[16384];
  while (true) {
    const int length = BIO_read(SSL_get_wbio(ssl_.get()), buffer, sizeof(buffer));
    if (length <= 0) return bytes;
    bytes.append(buffer, static_cast<size_t>(length));
  }
}

}  // namespace railgauge
