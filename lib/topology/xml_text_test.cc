#include "lib/topology/xml_text.h"

#include <string>
#include <string_view>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

std::string Clean(std::string_view text) {
  const Result<std::string> result = CleanTopologyXml(text, "t.xml");
  return result ? *result : "error: " + result.error().ToString();
}

void ExpectError(std::string_view text, std::string_view part) {
  const Result<std::string> result = CleanTopologyXml(text, "t.xml");
  ASSERT_FALSE(result) << text;
  EXPECT_NE(result.error().ToString().find(part), std::string::npos)
      << result.error().ToString() << "\nlacks: " << part;
}

TEST(XmlTextTest, KeepsTheRootElementOnly) {
  EXPECT_EQ(Clean("\xef\xbb\xbf<?xml version=\"1.0\"?>\n<!-- a\n-- b -->"
                  "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
                  "<topology version=\"2.0\">\n <object/></topology>\n<!-- end -->\n"),
            "<topology version=\"2.0\">\n <object/></topology>");
}

TEST(XmlTextTest, LineEndsOfOtherSystems) {
  EXPECT_EQ(Clean("<?xml version=\"1.0\"?>\r\n<topology>\r\n <object/>\r\n</topology>\r\n"),
            "<topology>\n <object/>\n</topology>");
}

TEST(XmlTextTest, DropsCommentsInside) {
  EXPECT_EQ(Clean("<topology><!-- <object> --><object type=\"PU\"/><!----></topology>"),
            "<topology><object type=\"PU\"/></topology>");
}

TEST(XmlTextTest, AngleBracketsInValuesAreNoTags) {
  const std::string text = "<topology><info name=\"a>b\" value='\"</x>'/></topology>";
  EXPECT_EQ(Clean(text), text);
}

TEST(XmlTextTest, NamesTheLineAndTheReason) {
  ExpectError("", "t.xml:1: the file is empty");
  ExpectError(" \n\n", "the file is empty");
  ExpectError("not xml", "t.xml:1: this is not XML");
  ExpectError("\n\n{\"json\": 1}", "t.xml:3: this is not XML");
  ExpectError(std::string_view("<\0t\0", 4), "NUL bytes");
  ExpectError("\x1f\x8b\x08", "t.xml: it is compressed by gzip. Unpack it first");
  ExpectError("<html><body/></html>", "the root element is <html>");
  ExpectError("<!-- only a comment -->", "there is no <topology> element");
  ExpectError("<!-- never closed <topology/>", "the file ends inside a comment");
  ExpectError("<topology>\n<object>\n", "t.xml:3: the file ends inside <object>");
  ExpectError("<topology>\n<object type=\"PU", "t.xml:2: the tag <object is cut off");
  ExpectError("<topology>\n<object <object>", "t.xml:2: the tag <object is cut off");
  ExpectError("<topology><object></topology>", "</topology> closes <object>");
  ExpectError("</topology>", "</topology> closes nothing");
  ExpectError("<topology/><topology/>", "second root element");
  ExpectError("<topology/>\nmore", "t.xml:2: there is text after </topology>");
  ExpectError("<!DOCTYPE topology [<!ENTITY a \"b\">]><topology/>", "internal subset");
  ExpectError("<topology><![CDATA[x]]></topology>", "markup that hwloc never writes");
}

TEST(XmlTextTest, RefusesDepthThatWouldOverflowAParser) {
  std::string deep = "<topology>";
  for (int i = 0; i < 100000; ++i) deep += "<object>";
  ExpectError(deep, "nested more than 200 deep");
}

// Whatever byte a file ends at: an answer, and never a whole topology.
TEST(XmlTextTest, EveryTruncationIsAnError) {
  const std::string text =
      "<?xml version=\"1.0\"?>\n<!-- c --><!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
      "<topology version=\"2.0\"><object type=\"Machine\"><info a='b'/></object></topology>";
  ASSERT_TRUE(CleanTopologyXml(text, "t.xml"));
  for (size_t size = 0; size < text.size(); ++size) {
    EXPECT_FALSE(CleanTopologyXml(std::string_view(text).substr(0, size), "t.xml")) << size;
  }
}

}  // namespace
}  // namespace railgauge
