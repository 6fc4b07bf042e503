#include "lib/peer/tls.h"

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <random>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

using State = TlsSession::State;

Token TokenOf(uint8_t byte) {
  Token token;
  token.key.fill(byte);
  return token;
}

std::unique_ptr<TlsContext> Context(TlsContext::Side side, const Token& token) {
  return *TlsContext::Create(side, token);
}

// Two sessions and the wire between them, on which a test can look.
struct Pair {
  Pair(const Token& client_token, const Token& server_token)
      : client_context(Context(TlsContext::Side::kClient, client_token)),
        server_context(Context(TlsContext::Side::kServer, server_token)),
        client(*TlsSession::Create(*client_context)),
        server(*TlsSession::Create(*server_context)) {}

  // Carries bytes until neither side has any.
  void Exchange() {
    while (true) {
      const std::string to_server = client.TakeOutput();
      const std::string to_client = server.TakeOutput();
      if (to_server.empty() && to_client.empty()) return;
      wire += to_server + to_client;
      server.Receive(to_server, &at_server);
      client.Receive(to_client, &at_client);
    }
  }

  std::unique_ptr<TlsContext> client_context;
  std::unique_ptr<TlsContext> server_context;
  TlsSession client;
  TlsSession server;
  std::string wire;
  std::string at_client;
  std::string at_server;
};

TEST(TlsTest, HoldersOfOneTokenTalkAndTheWireShowsNothing) {
  Pair pair(TokenOf(7), TokenOf(7));
  pair.Exchange();
  ASSERT_EQ(pair.client.state(), State::kOpen) << pair.client.failure();
  ASSERT_EQ(pair.server.state(), State::kOpen) << pair.server.failure();
  const std::string secret = "what nobody else may read";
  pair.client.Send(secret);
  pair.server.Send(std::string(100000, 'x'));
  pair.Exchange();
  EXPECT_EQ(pair.at_server, secret);
  EXPECT_EQ(pair.at_client, std::string(100000, 'x'));
  EXPECT_EQ(pair.wire.find(secret), std::string::npos);
  EXPECT_EQ(pair.wire.find("xxxxxxxx"), std::string::npos);
  EXPECT_EQ(pair.wire.find(std::string(8, '\7')), std::string::npos);  // the token itself
  pair.client.Close();
  pair.Exchange();
  EXPECT_EQ(pair.server.state(), State::kClosed);
}

TEST(TlsTest, AnotherTokenIsRefusedByTheServer) {
  Pair pair(TokenOf(1), TokenOf(2));
  pair.Exchange();
  EXPECT_EQ(pair.server.state(), State::kFailed);
  EXPECT_EQ(pair.client.state(), State::kFailed);
  EXPECT_TRUE(pair.client.refused()) << pair.client.failure();
}

TEST(TlsTest, WhatWasChangedOnTheWayIsNotBelieved) {
  Pair pair(TokenOf(7), TokenOf(7));
  pair.Exchange();
  pair.client.Send("hello");
  std::string record = pair.client.TakeOutput();
  record.back() = static_cast<char>(record.back() ^ 1);
  pair.server.Receive(record, &pair.at_server);
  EXPECT_EQ(pair.server.state(), State::kFailed);
  EXPECT_EQ(pair.at_server, "");
}

// Somebody who has no token but a certificate.
class Impostor {
 public:
  Impostor() : context_(SSL_CTX_new(TLS_server_method())), key_(EVP_EC_gen("P-256")) {
    X509* certificate = X509_new();
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, key_);
    X509_sign(certificate, key_, EVP_sha256());
    SSL_CTX_use_certificate(context_, certificate);
    SSL_CTX_use_PrivateKey(context_, key_);
    X509_free(certificate);
    ssl_ = SSL_new(context_);
    SSL_set_bio(ssl_, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    SSL_set_accept_state(ssl_);
  }
  ~Impostor() {
    SSL_free(ssl_);
    EVP_PKEY_free(key_);
    SSL_CTX_free(context_);
  }
  std::string Answer(const std::string& bytes) {
    BIO_write(SSL_get_rbio(ssl_), bytes.data(), static_cast<int>(bytes.size()));
    SSL_do_handshake(ssl_);
    std::string answer(65536, '\0');
    const int length = BIO_read(SSL_get_wbio(ssl_), answer.data(), static_cast<int>(answer.size()));
    answer.resize(length > 0 ? static_cast<size_t>(length) : 0);
    return answer;
  }

 private:
  SSL_CTX* context_;
  EVP_PKEY* key_;
  SSL* ssl_ = nullptr;
};

TEST(TlsTest, AServerWithACertificateInsteadOfTheTokenIsNotBelieved) {
  const auto context = Context(TlsContext::Side::kClient, TokenOf(1));
  auto client = TlsSession::Create(*context);
  ASSERT_TRUE(client);
  Impostor impostor;
  const std::string answer = impostor.Answer(client->TakeOutput());
  ASSERT_FALSE(answer.empty());
  std::string plain;
  client->Receive(answer, &plain);
  EXPECT_EQ(client->state(), State::kFailed);
  EXPECT_FALSE(client->refused());
}

TEST(TlsTest, AClientWithoutATokenIsRefused) {
  SSL_CTX* context = SSL_CTX_new(TLS_client_method());
  SSL* ssl = SSL_new(context);
  SSL_set_bio(ssl, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
  SSL_set_connect_state(ssl);
  SSL_do_handshake(ssl);
  std::string hello(65536, '\0');
  hello.resize(static_cast<size_t>(
      BIO_read(SSL_get_wbio(ssl), hello.data(), static_cast<int>(hello.size()))));
  const auto server_context = Context(TlsContext::Side::kServer, TokenOf(1));
  auto server = TlsSession::Create(*server_context);
  ASSERT_TRUE(server);
  std::string plain;
  server->Receive(hello, &plain);
  EXPECT_EQ(server->state(), State::kFailed);
  SSL_free(ssl);
  SSL_CTX_free(context);
}

// Random bytes, and a good handshake with bytes changed: never a session, never a crash.
TEST(TlsTest, NoiseNeverOpensASession) {
  std::mt19937_64 random(20260101);
  const auto server_context = Context(TlsContext::Side::kServer, TokenOf(1));
  const auto client_context = Context(TlsContext::Side::kClient, TokenOf(1));
  for (int round = 0; round < 400; ++round) {
    auto server = TlsSession::Create(*server_context);
    ASSERT_TRUE(server);
    std::string noise = TlsSession::Create(*client_context)->TakeOutput();
    if (round % 2 == 0) {
      for (char& c : noise) c = static_cast<char>(random());
    } else {
      noise[random() % noise.size()] ^= static_cast<char>(1 + random() % 255);
    }
    std::string plain;
    server->Receive(noise, &plain);
    EXPECT_NE(server->state(), State::kOpen);
    EXPECT_EQ(plain, "");
  }
}

}  // namespace
}  // namespace railgauge
