//! The page and the schema say what the registry says.

use super::*;
use engine::settings::Settings;

#[test]
fn the_page_has_every_key_with_its_values_and_meaning() {
    let page = reference_page();
    for key in KEYS {
        assert_eq!(
            page.matches(&format!("| `{}` |", key.name)).count(),
            2,
            "{}",
            key.name
        );
        assert!(page.contains(key.doc), "{}", key.name);
    }
    assert!(page.contains(
        "| `structure.mode` | `\"off\"` | `\"advise\"` | `\"advise\"` | `off`, `advise` or `enforce` | may set it |\n"
    ));
    assert!(page.contains("| `log.max_mib` | `512` | `512` | `512` | a whole number from 16 to 1048576 | may not set it: one value for all projects |\n"));
}

#[test]
fn the_schema_describes_the_built_in_settings_key_by_key() {
    let schema: Value = serde_json::from_str(&json_schema()).unwrap();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert_eq!(schema["additionalProperties"], false);
    let settings = serde_json::to_value(Settings::default()).unwrap();
    for key in KEYS {
        let path = key.name.replace('.', "/properties/");
        let property = schema.pointer(&format!("/properties/{path}")).unwrap();
        let value = settings
            .pointer(&format!("/{}", key.name.replace('.', "/")))
            .unwrap();
        assert_eq!(&property["default"], value, "{}", key.name);
        assert_eq!(property["description"], key.doc);
        assert_eq!(
            schema.pointer(&format!("/$defs/project/properties/{path}")),
            Some(property)
        );
    }
}

#[test]
fn the_schema_knows_ranges_and_words() {
    let schema: Value = serde_json::from_str(&json_schema()).unwrap();
    let structure = &schema["properties"]["structure"]["properties"];
    assert_eq!(structure["max_chars"]["maximum"], 8_000);
    assert_eq!(structure["mode"]["enum"], json!(["off", "advise", "enforce"]));
    assert_eq!(
        schema["properties"]["project"]["additionalProperties"]["$ref"],
        "#/$defs/project"
    );
}
