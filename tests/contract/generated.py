"""Uses the client that openapi-python-client generated from /openapi.json: publishes, lists and deletes pages."""

import json
import os
from http import HTTPStatus
from io import BytesIO

from recto_client import AuthenticatedClient
from recto_client.api.account import read_account
from recto_client.api.builds import latest_build, trigger_build
from recto_client.api.media import upload_media
from recto_client.api.pages import delete_page, list_pages, publish_pages
from recto_client.api.sites import change_settings, list_sites, read_settings
from recto_client.models import (
    Account,
    BuildQueued,
    ContentType,
    DeleteEntry,
    Failure,
    InvalidSettings,
    LatestBuild,
    MediaForm,
    PageInput,
    PageList,
    PublishForm,
    PublishRequest,
    PublishResponse,
    SiteList,
    SiteSettings,
    ValidationFailed,
    WriteStatus,
)
from recto_client.types import UNSET, File

client = AuthenticatedClient(
    base_url=os.environ["BASE"] + "/api/v1/public",
    token=os.environ["CONTRACT_TOKEN"],
    raise_on_unexpected_status=True,
)


def publish(body) -> PublishResponse:
    published = publish_pages.sync(client=client, body=body)
    assert isinstance(published, PublishResponse), published
    return published


def slugs() -> set[str]:
    listed = list_pages.sync(client=client, content_type=ContentType.DOCS)
    assert isinstance(listed, PageList), listed
    return {page.slug for page in listed.pages}


def text_file(name: str) -> File:
    return File(payload=BytesIO(b"Notes"), file_name=name, mime_type="text/plain")


def docs(slug: str, content: str = "# Hello") -> PageInput:
    return PageInput(slug=slug, title=f"Page {slug}", content=content, content_type=ContentType.DOCS, section="py")


before = slugs()

# A batch, a single page, a form with a file, a form without one.
[page] = publish(PublishRequest(pages=[docs("py-batch")])).pages
assert (page.slug, page.status, page.content_type) == ("py-batch", WriteStatus.CREATED, ContentType.DOCS), page
assert publish(docs("py-single")).pages[0].slug == "py-single"
payload = json.dumps({"pages": [docs("py-form", "[Notes](file:notes.txt)").to_dict()]})
with_file = publish(PublishForm(payload=payload, files=[text_file("notes.txt")]))
assert [item.filename for item in with_file.media] == ["notes.txt"], with_file
without = publish(PublishForm(payload=json.dumps({"pages": [docs("py-form", "No file").to_dict()]})))
assert (without.pages[0].status, without.media) == (WriteStatus.UPDATED, UNSET), without
assert slugs() == before | {"py-batch", "py-single", "py-form"}, slugs()

# Errors have their own types.
refused = publish_pages.sync(client=client, body=PublishRequest(pages=[PageInput(slug="py-new")]))
assert isinstance(refused, ValidationFailed), refused
assert refused.pages["0"]["title"] == "title is required for new pages", refused

# Both ways to delete pages.
delete = [DeleteEntry(slug="py-form", content_type=ContentType.DOCS, section="py")]
assert publish(PublishRequest(pages=[], delete_slugs=delete)).deleted == ["py-form"]
for slug in ["py-batch", "py-single"]:
    key = {"client": client, "content_type": ContentType.DOCS, "section": "py"}
    assert delete_page.sync_detailed(slug, **key).status_code == HTTPStatus.NO_CONTENT
    assert isinstance(delete_page.sync(slug, **key), Failure)
assert slugs() == before, slugs()

# The other endpoints.
assert upload_media.sync(client=client, body=MediaForm(file=text_file("alone.txt"))).filename == "alone.txt"
assert isinstance(trigger_build.sync(client=client), BuildQueued)
assert isinstance(latest_build.sync(client=client), LatestBuild)

# Settings of a site.
sites = list_sites.sync(client=client)
assert isinstance(sites, SiteList), sites
site = sites.sites[0].id
changed = change_settings.sync(site, client=client, body=SiteSettings(title="Contract"))
assert isinstance(changed, SiteSettings) and (changed.title, changed.accent) == ("Contract", ""), changed
assert read_settings.sync(site, client=client) == changed
refused = change_settings.sync(site, client=client, body=SiteSettings(accent="reddish"))
assert isinstance(refused, InvalidSettings) and "accent" in refused.settings, refused
account = read_account.sync(client=client)
assert isinstance(account, Account) and account.pages.limit > account.pages.used, account
