"""The libraries of the device core, for the test that looks at what they call."""

def core_libraries():
    """Labels of all libraries of this package with code that are not for tests only."""
    return [
        ":" + name
        for name, rule in native.existing_rules().items()
        if rule["kind"] == "cc_library" and rule.get("srcs") and not rule.get("testonly")
    ]
