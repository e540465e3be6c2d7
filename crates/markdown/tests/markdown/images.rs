//! Images, video and audio.

use crate::{check, page};

/// URLs of an image of 640 × 480, and of another file.
const IMAGE: &str = "/media/00112233445566778899aabbccddeeff028001e0";
const UPLOAD: &str = "/media/00112233445566778899aabbccddeeff";

#[test]
fn the_first_image_loads_eagerly_and_the_others_lazily() {
    check(
        "One ![a](a.png) two ![b](b.png \"B\").",
        "<p>One <img src=\"a.png\" alt=\"a\" decoding=\"async\"> two \
         <img src=\"b.png\" alt=\"b\" title=\"B\" loading=\"lazy\" decoding=\"async\">.</p>\n",
    );
}

#[test]
fn an_image_alone_is_a_figure() {
    check("![a *b*](a.png)", "<figure><img src=\"a.png\" alt=\"a b\" decoding=\"async\"></figure>\n");
    check(
        "![](a.png \"A <caption>\")",
        "<figure><img src=\"a.png\" alt=\"\" decoding=\"async\">\
         <figcaption>A &lt;caption&gt;</figcaption></figure>\n",
    );
    check("- ![a](a.png)", "<ul>\n<li><img src=\"a.png\" alt=\"a\" decoding=\"async\"></li>\n</ul>\n");
}

#[test]
fn an_image_in_a_link_stays_in_its_paragraph() {
    check(
        "[![a](a.png)](/b)",
        "<p><a href=\"/b\"><img src=\"a.png\" alt=\"a\" decoding=\"async\"></a></p>\n",
    );
}

#[test]
fn an_uploaded_image_has_its_size() {
    check(
        &format!("![a]({IMAGE}/a.webp#b)"),
        &format!(
            "<figure><img src=\"{IMAGE}/a.webp#b\" alt=\"a\" width=\"640\" height=\"480\" decoding=\"async\">\
             </figure>\n"
        ),
    );
    check(
        &format!("![a]({UPLOAD}/a.gif)"),
        &format!("<figure><img src=\"{UPLOAD}/a.gif\" alt=\"a\" decoding=\"async\"></figure>\n"),
    );
}

#[test]
fn a_large_uploaded_image_has_smaller_copies_for_small_screens() {
    let image = "/media/00112233445566778899aabbccddeeff044c001e/a";
    check(
        &format!("![a]({image}.webp) and ![b]({image}.webp?c)"),
        &format!(
            "<p><img src=\"{image}.webp\" alt=\"a\" width=\"1100\" height=\"30\" \
             srcset=\"{image}.640.webp 640w, {image}.960.webp 960w, {image}.webp 1100w\" \
             sizes=\"(min-width: 64rem) 58rem, 100vw\" decoding=\"async\"> and \
             <img src=\"{image}.webp?c\" alt=\"b\" width=\"1100\" height=\"30\" loading=\"lazy\" decoding=\"async\">\
             </p>\n"
        ),
    );
}

#[test]
fn a_video_is_played() {
    check(
        "![Waves](waves.MP4?x=1 \"At sea\")",
        "<figure><video controls preload=\"metadata\" src=\"waves.MP4?x=1\" aria-label=\"Waves\">\
         <a href=\"waves.MP4?x=1\">Waves</a></video><figcaption>At sea</figcaption></figure>\n",
    );
    check(
        "See ![](a.webm)",
        "<p>See <video controls preload=\"metadata\" src=\"a.webm\"><a href=\"a.webm\">video</a></video></p>\n",
    );
}

#[test]
fn the_mp4_of_an_uploaded_mov_is_offered_first() {
    check(
        &format!("![W]({UPLOAD}/w.mov#t=2)"),
        &format!(
            "<figure><video controls preload=\"metadata\" aria-label=\"W\">\
             <source src=\"{UPLOAD}/w.mp4#t=2\" type=\"video/mp4\"><source src=\"{UPLOAD}/w.mov#t=2\">\
             <a href=\"{UPLOAD}/w.mov#t=2\">W</a></video></figure>\n"
        ),
    );
    check(
        "![W](/media/1/w.mov)",
        "<figure><video controls preload=\"metadata\" src=\"/media/1/w.mov\" aria-label=\"W\">\
         <a href=\"/media/1/w.mov\">W</a></video></figure>\n",
    );
}

#[test]
fn audio_is_played() {
    check(
        "![Hum](hum.mp3)",
        "<figure><audio controls preload=\"metadata\" src=\"hum.mp3\" aria-label=\"Hum\">\
         <a href=\"hum.mp3\">Hum</a></audio></figure>\n",
    );
}

#[test]
fn a_player_in_a_link_has_no_fallback_link() {
    check(
        "[![Hum](hum.mp3)](/hum)",
        "<p><a href=\"/hum\"><audio controls preload=\"metadata\" src=\"hum.mp3\" aria-label=\"Hum\">\
         </audio></a></p>\n",
    );
}

#[test]
fn the_first_image_is_reported_as_written() {
    let first = |text: &str| page(text).first_image;
    assert_eq!(first("Text"), None);
    assert_eq!(first("![v](v.mp4) ![a](<a b.png>) ![c](c.png)"), Some("a b.png".into()));
}
