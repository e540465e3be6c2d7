//! The texts of the demo.

/// Title, description, section, tags.
pub const POSTS: [(&str, &str, &str, &str); 30] = [
    (
        "The keeper’s log, and why we still write it by hand",
        "Forty years of nights in eleven notebooks, and what a machine made of them.",
        "",
        "history,lamps",
    ),
    ("Trimming the wick", "A small job, done badly for a century.", "craft/", "lamps"),
    ("Fog signals for people who cannot hear them", "What we changed after last winter.", "", "fog,people"),
    ("Release 4.2: quieter nights", "Fewer alarms, the same ships.", "releases/", "release"),
    (
        "On the particular blue of ink that was mixed with salt water because there was no other, and on what else the notebooks did not mean to tell us",
        "",
        "",
        "history",
    ),
    ("A lamp is a promise", "You cannot promise most of the time.", "", "people"),
    ("Grinding a lens in 2026", "It takes eleven weeks. Here is each of them.", "craft/", "lamps,optics"),
    ("Release 4.1: the long coast", "Up to four hundred lamps in one harbour.", "releases/", "release"),
    ("What the storm taught us", "A night, hour by hour, with the mistakes left in.", "", "weather,people"),
    ("מגדלור בחיפה: a visit", "A lighthouse on a hill, and the people who keep it.", "", "people,travel"),
    ("Batteries, or the end of oil", "", "craft/", "lamps,power"),
    ("Why the light turns", "And why it turns that way.", "", "optics"),
    ("Release 4.0: a new lens", "The first large change in six years.", "releases/", "release,optics"),
    ("Letters from readers, spring", "", "", "people"),
    ("Counting ships", "By eye, by ear, by wire.", "", "history"),
    ("The tide tables are wrong", "By four minutes, since 1911.", "", "history,weather"),
    ("Painting a tower", "Eleven coats and a prayer.", "craft/", "people"),
    (
        "<b>Bold</b> claims & “quoted” titles",
        "A title with characters that once broke a page.",
        "",
        "craft & code",
    ),
    ("Release 3.9", "", "releases/", "release"),
    (
        "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft",
        "A long word from the Danube.",
        "",
        "travel",
    ),
    ("Salt", "It gets in.", "", "craft"),
    ("Night shift 🌙", "A photograph essay without photographs.", "", "people"),
    ("How to read a flash", "Group, period, colour.", "", "lamps"),
    ("Release 3.8", "Small repairs.", "releases/", "release"),
    ("The last keeper of Skerry", "", "", "history,people"),
    ("Glass", "Where it comes from.", "craft/", "optics"),
    ("A map of lights", "All of them, at last.", "", "travel"),
    ("Wind", "A glossary.", "", "weather"),
    ("The first winter", "", "", "history"),
    ("Hello", "We begin.", "", ""),
];

pub const SHORT_POSTS: [&str; 3] = [
    "The first notebook begins in the middle of a sentence. Whoever kept the lamp before had run out of paper, and the next keeper simply went on: *wind from the north-west, veering, glass falling, all well*.\n\nIt is easy to read that as modesty. It is a [specification](/docs).\n\n> The lamp was lit at dusk and put out at dawn. Nothing else can be said of this night.\n\n---\n\nThe last page is empty but for the date.\n",
    "A wick is cut straight across, then the corners are taken off. That is all, and it takes a year to learn.\n\n1. Let it cool.\n2. Cut, in one motion.\n3. Look at it against the light.\n\n```rust\nfn trim(wick: &mut Wick) -> Flame {\n    wick.cut(); // in one motion\n    wick.light()\n}\n```\n",
    "We counted 214 ships. Of these 9 answered.\n\n| Night | Ships | Answered |\n|---|---:|---:|\n| Monday | 31 | 2 |\n| Tuesday | 28 | 0 |\n| Wednesday | 40 | 3 |\n\nThe rest is silence, mostly.\n",
];

pub const LONG_POST: &str = "The first notebook begins in the middle of a sentence. Whoever kept the lamp before had run out of paper, and the next keeper simply went on: *wind from the north-west, veering, glass falling, all well*.[^1]

We scanned them all in a week. What follows is what we learned about patience, tides, and the particular blue of ink that was mixed with salt water because there was no other.

## Salt in the ink

> The lamp was lit at dusk and put out at dawn. Nothing else can be said of this night, and that is the best that can be said of any.

It is easy to read that as modesty. It is a [specification](/docs). The lamp has two states, the night has two ends, and the keeper’s work is to see that they meet. Everything else in the notebooks is commentary: the price of oil, the visit of an inspector, a seal on the landing stage that would not leave.

```rust
/// What a night is, when nothing happens.
fn night(lamp: &mut Lamp) -> Log {
    lamp.light(); // at dusk
    Log::quiet(\"all well\")
}
```

### What the machine made of it

We trained nothing and asked it little. It was to find the nights that were *not* quiet, and it found eleven. Ten of them we knew. The eleventh is in the third notebook, between two ordinary Tuesdays, and consists of a single line that has been struck out and written again, word for word.

- It marked the nights by the length of their entries.
- It could not read the ninth notebook at all; the hand is too small.
- It thought that `glass falling` was an accident.

## Eleven notebooks

| Notebook | Years | Nights | Hand |
|---|---|---:|---|
| I | 1911–1914 | 1,204 | two keepers |
| II | 1914–1919 | 1,790 | one keeper, failing |
| III | 1919–1923 | 1,388 | one keeper |

![A page of the third notebook](/media/000000000000/notebook.webp \"The third notebook, June 1921\")

## What we do now

We write by hand. Not because it is better, but because it is *slower*, and a night is long enough. The log is scanned each month, and the machine reads it before we do.

---

The last page is empty but for the date.

[^1]: “All well” occurs 9,412 times. It is the most frequent phrase in the notebooks, and the only one that is never misspelled.
";

pub const HOMEPAGE: &str = "Forty lamps, eleven keepers, one coast. Lanternfish lights the way from **Skerry** to the **Long Sands**, and has done so every night since 1911.

Our lamps answer to machines now: [light one yourself](/docs/guides/first-lamp), or read [why we still write the log by hand](/blog).
";

pub const ABOUT: &str = "We are eleven people on a long coast. Most of us came for a season.

## What we keep

Forty lamps, two fog signals, and a boat that leaks.

## How to reach us

By letter, by wire, or by walking up the hill.
";

/// Path, title, description, text.
pub const DOCS: [(&str, &str, &str, &str); 10] = [
    ("introduction", "Introduction", "What Lanternfish is, and what it is not.", GUIDE),
    (
        "guides",
        "Guides",
        "From the first lamp to a whole coast.",
        "Each guide takes an evening. Begin with the first.\n",
    ),
    ("guides/first-lamp", "Light your first lamp", "Ten minutes, one lamp, no tools.", GUIDE),
    (
        "guides/configuration",
        "Configuration",
        "Every key, what it does, and what it is when you leave it out.",
        CONFIGURATION,
    ),
    ("guides/deployment", "Deployment on a long and windy coast with many harbours", "", GUIDE),
    ("guides/fog", "Fog", "Sound where light does not reach.", GUIDE),
    ("concepts/beacons", "Beacons", "A lamp, a name, a harbour.", GUIDE),
    ("concepts/harbours", "Harbours", "Where beacons belong.", GUIDE),
    ("concepts/nights", "Nights", "", GUIDE),
    (
        "api",
        "API",
        "Every endpoint, with examples.",
        "All requests go to `https://api.example.com/v1` and carry a token.\n\n## Errors\n\nAn error is JSON with a key `error`.\n\n## Limits\n\nSixty requests a minute.\n",
    ),
];

const GUIDE: &str = "A beacon is dark until it is lit. This guide lights one.

## Before you begin

You need a token and a harbour. Both are found under *Keys* in the harbour office.

> [!NOTE]
> A harbour that is closed answers as one that does not exist.

## Install

```sh
curl -fsS https://get.example.com/lantern | sh   # no root needed
lantern login --harbour north
lantern light Skerry --period 12
```

The lamp is lit at dusk. To see it now, pass `--now`.

### On a boat

Hold the boat still. If it cannot be held still, hold the lamp.

### On a tower

Take the stairs.

## Check that it burns

```json
{
  \"id\": \"0193a5c1\",
  \"lit\": true,
  \"period\": 12
}
```

- [x] The lamp is lit.
- [ ] Somebody has seen it.

## Next

Read about [configuration](/docs/guides/configuration).
";

const CONFIGURATION: &str = "Everything is in one file, `lantern.toml`, next to the lamp.

| Key | Type | Default | What it does |
|---|---|---|---|
| `lamp.period` | number | `12` | Seconds between two flashes. A fixed light has `0`. |
| `lamp.colour` | string | `\"white\"` | One of `white`, `red`, `green`. |
| `fog.signal_when_visibility_below_metres` | number | `1000` | Sounds the horn when the far mark cannot be seen. |
| `log.by_hand` | boolean | `true` | Whether a person writes the log. |

## A whole file

```toml
[lamp]
period = 12          # seconds
colour = \"white\"

[fog]
signal_when_visibility_below_metres = 1000

[log]
by_hand = true
```

## In which order values win

1. The command line
2. The environment
3. The file

> [!WARNING]
> Two beacons of one name in one harbour are refused; nothing is stored.
";

/// Endpoint, slug, title, description.
pub const ENDPOINTS: [(&str, &str, &str, &str); 9] = [
    ("GET /v1/beacons", "list-beacons", "List beacons", "All beacons of a harbour, the newest first."),
    (
        "POST /v1/beacons/{harbour}",
        "create-beacon",
        "Create a beacon",
        "Registers a beacon and answers with its identifier. A beacon is dark until it is lit.",
    ),
    (
        "GET /v1/beacons/{harbour}/{beacon}",
        "fetch-beacon",
        "Fetch one beacon",
        "One beacon, and whether it burns.",
    ),
    ("PUT /v1/beacons/{harbour}/{beacon}", "replace-beacon", "Replace a beacon", "All of it at once."),
    (
        "PATCH /v1/beacons/{harbour}/{beacon}",
        "change-beacon",
        "Change a beacon",
        "Only the fields that are sent.",
    ),
    ("DELETE /v1/beacons/{harbour}/{beacon}", "remove-beacon", "Remove a beacon", "It goes dark at once."),
    ("HEAD /v1/beacons/{harbour}/{beacon}", "probe", "Probe", "Whether there is one."),
    (
        "OPTIONS /v1/beacons",
        "options",
        "What may be done with the beacons of a harbour",
        "The methods that are allowed.",
    ),
    ("POST", "webhooks", "Webhooks", "What we send to you when a lamp goes dark."),
];

pub const ENDPOINT: &str = "Send the harbour in the path and the beacon as JSON. Every field but `name` is optional, and an omitted field keeps its default.

| Field | Type | Rules |
|---|---|---|
| `name` | string | Required. At most 80 characters. |
| `colour` | string | One of `white`, `red`, `green`. |
| `period` | number | Seconds between two flashes. |

## Request

```sh
curl -X POST https://api.example.com/v1/beacons/north \\
  -H \"Authorization: Bearer $TOKEN\" \\
  -d '{\"name\": \"Skerry\", \"period\": 12}'   # seconds
```

> [!NOTE]
> A harbour that is closed answers as one that does not exist.

> [!WARNING]
> Two beacons of one name in one harbour are refused; nothing is stored.

## Answer

```json
{
  \"id\": \"0193a5c1\",
  \"lit\": false,
  \"period\": 12
}
```

### Errors

- `404` when there is no such harbour.
- `409` when the name is taken.
";

pub const KITCHEN_SINK: &str = r##"Every feature on one page. Plain, *emphasis*, **strong**, ***both***, ~~struck~~, `code`, <kbd>Ctrl</kbd>+<kbd>C</kbd>, a [link](/docs), https://example.com bare, and a footnote.[^a]

## Lists

- One
- Two
  - Two and a half
    1. Deep
    2. Deeper
- Three

1. First
2. Second

   With a paragraph.

- [x] Done
- [ ] To do

## Quotes and alerts

> A quotation of one paragraph.
>
> > And one inside it.

> [!NOTE]
> Useful to know.

> [!TIP]
> Better with a cloth.

> [!IMPORTANT]
> Not to be missed.

> [!WARNING]
> This needs care.

> [!CAUTION]
> This can go wrong, `badly`.

## Code

```rust
use std::collections::BTreeMap;

/// A harbour and its beacons.
#[derive(Debug, Default)]
pub struct Harbour<'a> {
    name: &'a str,
    beacons: BTreeMap<u64, Beacon>,
}

impl Harbour<'_> {
    pub fn light(&mut self, id: u64) -> Result<(), Dark> {
        let beacon = self.beacons.get_mut(&id).ok_or(Dark::Unknown(id))?;
        beacon.period = 12.5; // seconds
        println!("{} burns", beacon.name);
        Ok(())
    }
}
```

```diff
- the old light
+ the new light
```

    an indented block, with a very long line that must scroll and not break the page: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa

## A wide table

| Beacon | Harbour | Period | Colour | Character | Height | Range | Keeper | Since |
|:--|:--|--:|:-:|---|--:|--:|---|---|
| Skerry | North | 12 | white | Fl(2) | 41 m | 22 M | A. Lund | 1911 |
| Long Sands | South | 5 | red | Iso | 18 m | 14 M | nobody | 1934 |

## Mathematics

Inline $e^{i\pi} + 1 = 0$ and displayed:

$$\int_0^\infty e^{-x^2}\,dx = \frac{\sqrt{\pi}}{2}$$

## Blocks

:::details A summary with `code`
What is hidden at first, with "quotes", it's -- perhaps -- enough...
:::

:::steps
1. Mount the *lamp*.

   ```sh
   lamp mount --force
   ```
2. Wire it.
3. Turn the key.
:::

:::steps
### Unpack

Check what came.

### Install

Then the rest.
:::

:::cards
- [Install](/docs/guides/everything)
  How to begin.
- [Blog](/blog)

  News, with a [second link](/about).
- [About](/about)
:::

:::tabs
```sh title="curl"
curl https://lanternfish.example
```

```python
import lamp
```

```js
await lamp();
```
:::

::::tabs
== Linux
Text with a list:

- one

:::details Inside
More.
:::
== macOS
Another text.
::::

:::unknown
This stays as it is.

## Pictures and players

![A lamp](/media/000000000000/lamp.webp "A lamp at dusk")

<video src="/media/000000000000/lamp.mp4" controls></video>

### A heading with `code` and *emphasis*

#### Fourth level

##### Fifth level

###### Sixth level

Averyveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryverylongword that wraps.

***

<details><summary>Raw HTML of the owner</summary>

It **stays**.

</details>

[^a]: A footnote, with a [link](/docs).
"##;
