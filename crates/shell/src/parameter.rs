//! The inside of `${…}`, taken apart.

/// A parameter, and what is done with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Parameter<'a> {
    pub(super) name: &'a str,
    /// `@`, `*`, or an index.
    pub(super) subscript: Option<&'a str>,
    pub(super) act: ParameterOperation<'a>,
}

/// What is done with the value. Texts carry where they begin in the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ParameterOperation<'a> {
    /// Nothing.
    Value,
    /// `${#x}`
    Length,
    /// `${!x}`
    Indirect,
    /// `${!x@}`, `${!x[@]}`: names, not values.
    Names,
    /// `-` and `:-`
    Default {
        text: &'a str,
        at: usize,
        or_empty: bool,
    },
    /// `=` and `:=`
    Assign {
        text: &'a str,
        at: usize,
        or_empty: bool,
    },
    /// `+` and `:+`
    Replace { text: &'a str, at: usize },
    /// `?` and `:?`
    Require,
    /// `#`, `##`, `%`, `%%`
    Trim {
        text: &'a str,
        at: usize,
        is_front: bool,
        is_long: bool,
    },
    /// `/`, `//`
    Substitute { text: &'a str, at: usize, is_all: bool },
    /// `:offset:length`
    Slice { text: &'a str },
    /// `^^`, `,,` and the like
    Case { is_upper: bool, is_all: bool },
    /// `@Q` and the like
    Transform(&'a str),
    /// Something this shell has and we do not know.
    Other,
}

impl<'a> Parameter<'a> {
    pub(super) fn new(body: &'a str) -> Self {
        let other = Self {
            name: "",
            subscript: None,
            act: ParameterOperation::Other,
        };
        if body.len() > 1 && body.starts_with('#') && name_length(body.get(1..).unwrap_or_default()) > 0 {
            let inner = Self::new(body.get(1..).unwrap_or_default());
            return if inner.act == ParameterOperation::Value {
                Self {
                    act: ParameterOperation::Length,
                    ..inner
                }
            } else {
                other
            };
        }
        if body.len() > 1 && body.starts_with('!') && name_length(body.get(1..).unwrap_or_default()) > 0 {
            let inner = Self::new(body.get(1..).unwrap_or_default());
            return match inner.act {
                ParameterOperation::Value if inner.subscript.is_some() => Self {
                    act: ParameterOperation::Names,
                    ..inner
                },
                ParameterOperation::Value => Self {
                    act: ParameterOperation::Indirect,
                    ..inner
                },
                _ => Self {
                    act: ParameterOperation::Names,
                    ..inner
                },
            };
        }
        let length = name_length(body);
        let (Some(name), Some(rest)) = (body.get(..length), body.get(length..)) else {
            return other;
        };
        if name.is_empty() {
            return other;
        }
        let (subscript, rest, at) = match rest.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
            Some((subscript, rest)) => (Some(subscript), rest, length + subscript.len() + 2),
            None => (None, rest, length),
        };
        Self {
            name,
            subscript,
            act: act(rest, at),
        }
    }
}

/// How many bytes of the name there are: a name, digits, or one special character.
fn name_length(text: &str) -> usize {
    let Some(first) = text.bytes().next() else {
        return 0;
    };
    if first.is_ascii_digit() {
        return text.bytes().take_while(u8::is_ascii_digit).count();
    }
    if first.is_ascii_alphabetic() || first == b'_' {
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        return text.bytes().take_while(is_name).count();
    }
    usize::from(b"@*#?$!-".contains(&first))
}

fn act(rest: &str, at: usize) -> ParameterOperation<'_> {
    let behind = |length: usize| rest.get(length..).unwrap_or_default();
    let begins = |mark: &str| rest.starts_with(mark);
    if rest.is_empty() {
        return ParameterOperation::Value;
    }
    if let Some(act) = conditional(rest, at) {
        return act;
    }
    let trim = |length: usize, is_front: bool| ParameterOperation::Trim {
        text: behind(length),
        at: at + length,
        is_front,
        is_long: length == 2,
    };
    match rest.as_bytes() {
        [b':', ..] => ParameterOperation::Slice { text: behind(1) },
        [b'#', b'#', ..] => trim(2, true),
        [b'#', ..] => trim(1, true),
        [b'%', b'%', ..] => trim(2, false),
        [b'%', ..] => trim(1, false),
        [b'/', ..] => {
            let length = if begins("//") { 2 } else { 1 };
            ParameterOperation::Substitute {
                text: behind(length),
                at: at + length,
                is_all: length == 2,
            }
        }
        [b'^' | b',', ..] => ParameterOperation::Case {
            is_upper: begins("^"),
            is_all: begins("^^") || begins(",,"),
        },
        [b'@', ..] => ParameterOperation::Transform(behind(1)),
        _ => ParameterOperation::Other,
    }
}

/// The four that ask whether there is a value, with a colon in front or without.
fn conditional(rest: &str, at: usize) -> Option<ParameterOperation<'_>> {
    let or_empty = rest.starts_with(':');
    let mark = rest.as_bytes().get(usize::from(or_empty))?;
    let length = usize::from(or_empty) + 1;
    let text = rest.get(length..).unwrap_or_default();
    let at = at + length;
    Some(match mark {
        b'-' => ParameterOperation::Default { text, at, or_empty },
        b'=' => ParameterOperation::Assign { text, at, or_empty },
        b'+' => ParameterOperation::Replace { text, at },
        b'?' => ParameterOperation::Require,
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
