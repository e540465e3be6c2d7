//! Refused bodies and their messages.

use super::*;

async fn refused(body: &[u8]) -> String {
    let mut answers = Vec::new();
    for size in [1, usize::MAX] {
        let multipart = multipart(cut(body, size), "b", FEW);
        answers.push(read_parts(multipart).await.expect_err("a fault").to_string());
    }
    assert_eq!(answers[0], answers[1], "however it is cut");
    answers.remove(0)
}

/// A complete part, followed by a part with this head.
async fn check_head(head: &[u8], expected: &str) {
    let first = b"--b\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--b\r\n";
    let body = [first, head, b"\r\n\r\n\r\n--b--"].concat();
    assert_eq!(refused(&body).await, expected, "{}", String::from_utf8_lossy(head));
}

#[tokio::test]
async fn a_head_that_is_not_understood_is_refused() {
    let form_data = "the header `Content-Disposition` must be `form-data`, with a `name`";
    for head in [
        "Content-Type: text/plain",
        "Content-Disposition: attachment; name=a",
        "Content-Disposition: form-data",
        "Content-Disposition: form-data; filename=a.png",
    ] {
        check_head(head.as_bytes(), &format!("part 2: {form_data}")).await;
    }
    for parameters in ["name=\"a", "name=\"a\"b\"", "name"] {
        let head = format!("Content-Disposition: form-data; {parameters}");
        check_head(head.as_bytes(), "part 2: `Content-Disposition` cannot be read").await;
    }
    check_head(b"no colon", "part 2: the headers are not valid").await;
    check_head(b"Content-Disposition: form-data;\r\n name=a", "part 2: the headers are not valid").await;
}

#[tokio::test]
async fn a_head_that_two_readers_may_see_differently_is_refused() {
    let head = b"Content-Disposition: form-data; name=a\r\ncontent-disposition: form-data; name=b";
    check_head(head, "part 2: `Content-Disposition` appears twice").await;
    check_head(b"Content-Disposition: form-data; name=a; name=b", "part 2: `name` appears twice").await;
}

#[tokio::test]
async fn names_that_are_too_long_or_no_text_are_refused() {
    let head = |name: &[u8]| [b"Content-Disposition: form-data; name=", name].concat();
    check_head(&head("x".repeat(1025).as_bytes()), "part 2: `name` is longer than 1024 bytes").await;
    check_head(&head(b"\"\xff\""), "part 2: the header `Content-Disposition` is not valid UTF-8").await;
    for value in ["latin1''a", "UTF-8''%ff", "UTF-8'a", "a.png"] {
        let name = format!("a; filename*={value}");
        check_head(&head(name.as_bytes()), "part 2: `filename*` cannot be read").await;
    }
}

#[tokio::test]
async fn content_that_would_have_to_be_decoded_is_refused() {
    let head = |line: &str| format!("Content-Disposition: form-data; name=a\r\n{line}").into_bytes();
    check_head(
        &head("Content-Transfer-Encoding: Base64"),
        "part 2 (`a`): the transfer encoding `base64` is not supported; send the bytes as they are",
    )
    .await;
    check_head(
        &head("Content-Type: Multipart/mixed; boundary=c"),
        "part 2 (`a`): a part must not be multipart itself; send each file as a part of its own",
    )
    .await;
    let body = [b"--b\r\n", &head("Content-Transfer-Encoding: Binary")[..], b"\r\n\r\n\r\n--b--"].concat();
    assert_eq!(read(&body, "b").await, Ok(vec![field("a", b"")]));
}

#[tokio::test]
async fn lines_that_end_in_a_line_feed_alone_are_refused() {
    let expected = "part 1: lines must end in CRLF, not in a line feed alone";
    for body in [
        "--b\nContent-Disposition: form-data; name=a\n\n1\n--b--\n",
        "--b\r\nContent-Disposition: form-data; name=a\n\r\n1\r\n--b--\r\n",
        "--b\r\n\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--b--\r\n",
        "--b  \nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--b--\r\n",
    ] {
        assert_eq!(refused(body.as_bytes()).await, expected, "{body}");
    }
}

#[tokio::test]
async fn a_boundary_must_be_on_a_separate_line() {
    for body in ["--bc\r\n", "--b-\r\n", "--b\rx", &format!("--b{}\r\n", " ".repeat(257))] {
        assert_eq!(refused(body.as_bytes()).await, "part 1: the boundary must be followed by a line break");
    }
}

#[tokio::test]
async fn a_wrong_boundary_is_reported() {
    let expected = "the body does not begin with the boundary that the content type names; JSON is sent as application/json";
    assert_eq!(refused(b"--c\r\n\r\n--c--\r\n").await, expected);
    assert_eq!(refused("x\r\n".repeat(10_000).as_bytes()).await, expected);
}
