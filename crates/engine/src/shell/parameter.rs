//! The inside of `${…}`, taken apart.

/// A parameter, and what is done with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Parameter<'a> {
    pub(super) name: &'a str,
    /// `@`, `*`, or an index.
    pub(super) subscript: Option<&'a str>,
    pub(super) act: Act<'a>,
}

/// What is done with the value. Texts carry where they begin in the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Act<'a> {
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
            act: Act::Other,
        };
        if body.len() > 1 && body.starts_with('#') && name_length(body.get(1..).unwrap_or_default()) > 0 {
            let inner = Self::new(body.get(1..).unwrap_or_default());
            return if inner.act == Act::Value {
                Self {
                    act: Act::Length,
                    ..inner
                }
            } else {
                other
            };
        }
        if body.len() > 1 && body.starts_with('!') && name_length(body.get(1..).unwrap_or_default()) > 0 {
            let inner = Self::new(body.get(1..).unwrap_or_default());
            return match inner.act {
                Act::Value if inner.subscript.is_some() => Self {
                    act: Act::Names,
                    ..inner
                },
                Act::Value => Self {
                    act: Act::Indirect,
                    ..inner
                },
                _ => Self {
                    act: Act::Names,
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

fn act(rest: &str, at: usize) -> Act<'_> {
    let behind = |length: usize| rest.get(length..).unwrap_or_default();
    let begins = |mark: &str| rest.starts_with(mark);
    if rest.is_empty() {
        return Act::Value;
    }
    if let Some(act) = conditional(rest, at) {
        return act;
    }
    let trim = |length: usize, is_front: bool| Act::Trim {
        text: behind(length),
        at: at + length,
        is_front,
        is_long: length == 2,
    };
    match rest.as_bytes() {
        [b':', ..] => Act::Slice { text: behind(1) },
        [b'#', b'#', ..] => trim(2, true),
        [b'#', ..] => trim(1, true),
        [b'%', b'%', ..] => trim(2, false),
        [b'%', ..] => trim(1, false),
        [b'/', ..] => {
            let length = if begins("//") { 2 } else { 1 };
            Act::Substitute {
                text: behind(length),
                at: at + length,
                is_all: length == 2,
            }
        }
        [b'^' | b',', ..] => Act::Case {
            is_upper: begins("^"),
            is_all: begins("^^") || begins(",,"),
        },
        [b'@', ..] => Act::Transform(behind(1)),
        _ => Act::Other,
    }
}

/// The four that ask whether there is a value, with a colon in front or without.
fn conditional(rest: &str, at: usize) -> Option<Act<'_>> {
    let or_empty = rest.starts_with(':');
    let mark = rest.as_bytes().get(usize::from(or_empty))?;
    let length = usize::from(or_empty) + 1;
    let text = rest.get(length..).unwrap_or_default();
    let at = at + length;
    Some(match mark {
        b'-' => Act::Default { text, at, or_empty },
        b'=' => Act::Assign { text, at, or_empty },
        b'+' => Act::Replace { text, at },
        b'?' => Act::Require,
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
