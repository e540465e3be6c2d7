//! Checks what an authenticator sends: <https://www.w3.org/TR/webauthn-3/>, sections 7.1 and 7.2, for attestation `none`.
//! The browser converts the public key (`getPublicKey`), so that no CBOR has to be parsed; without attestation nothing
//! vouches for the key in either form.

use std::net::IpAddr;

use model::sha256;
use ring::signature::{
    ECDSA_P256_SHA256_ASN1, ED25519, RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey, VerificationAlgorithm,
};
use serde::Deserialize;

/// The address that people use: passkeys are bound to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelyingParty {
    /// The host.
    pub id: String,
    /// Scheme, host and port.
    pub origin: String,
}

impl RelyingParty {
    /// Of an address without a path.
    pub fn of(url: &str) -> RelyingParty {
        RelyingParty { id: crate::host_of(url).to_owned(), origin: url.to_owned() }
    }

    /// Browsers accept no IP address.
    pub fn is_usable(&self) -> bool {
        self.id.parse::<IpAddr>().is_err() && !self.id.starts_with('[')
    }
}

/// What the browser signs along.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ClientData {
    r#type: String,
    challenge: String,
    origin: String,
    #[serde(default)]
    cross_origin: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ceremony {
    Register,
    SignIn,
}

impl Ceremony {
    fn name(self) -> &'static str {
        match self {
            Ceremony::Register => "webauthn.create",
            Ceremony::SignIn => "webauthn.get",
        }
    }
}

/// The challenge that was signed, if the browser did so for this ceremony and this address.
pub(super) fn challenge_of(client_data: &[u8], ceremony: Ceremony, party: &RelyingParty) -> Option<String> {
    let data: ClientData = serde_json::from_slice(client_data).ok()?;
    let is_right = data.r#type == ceremony.name() && data.origin == party.origin && !data.cross_origin;
    is_right.then_some(data.challenge)
}

/// The beginning of the authenticator data.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct AuthenticatorData<'d> {
    pub(super) sign_count: u32,
    /// The id of a new passkey.
    pub(super) credential: Option<&'d [u8]>,
}

const PRESENT: u8 = 0x01;
const VERIFIED: u8 = 0x04;
const HAS_CREDENTIAL: u8 = 0x40;

impl AuthenticatorData<'_> {
    /// `None`: it is for another address, or the person was not there or not verified (by a finger, a face or a PIN).
    pub(super) fn parse<'d>(data: &'d [u8], party: &RelyingParty) -> Option<AuthenticatorData<'d>> {
        let (hash, rest) = data.split_at_checked(32)?;
        let (flags, rest) = rest.split_first()?;
        let (count, rest) = rest.split_first_chunk::<4>()?;
        if hash != sha256(&party.id).as_slice() || flags & PRESENT == 0 || flags & VERIFIED == 0 {
            return None;
        }
        let credential = match flags & HAS_CREDENTIAL {
            0 => None,
            // Behind the model of the authenticator, which has 16 bytes.
            _ => {
                let (length, rest) = rest.get(16..)?.split_first_chunk::<2>()?;
                Some(rest.get(..usize::from(u16::from_be_bytes(*length)))?)
            }
        };
        Some(AuthenticatorData { sign_count: u32::from_be_bytes(*count), credential })
    }
}

/// Whether the key has signed this.
pub(super) fn is_signed(public_key: &[u8], data: &[u8], client_data: &[u8], signature: &[u8]) -> bool {
    let Some((algorithm, key)) = key_of(public_key) else { return false };
    let signed = [data, sha256(client_data).as_slice()].concat();
    UnparsedPublicKey::new(algorithm, key).verify(&signed, signature).is_ok()
}

/// Whether keys of this kind can be checked.
pub(super) fn is_supported(public_key: &[u8]) -> bool {
    key_of(public_key).is_some()
}

/// The beginning of a SubjectPublicKeyInfo with a key on P-256, and with one for Ed25519; the key is the rest.
const P256: [u8; 26] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86,
    0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
];
const ED: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];
/// The algorithm of an RSA key, behind the length of the whole and before that of the key.
const RSA: [u8; 15] =
    [0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00];

/// The key in a SubjectPublicKeyInfo, and how its signatures are checked.
fn key_of(info: &[u8]) -> Option<(&'static dyn VerificationAlgorithm, &[u8])> {
    if let Some(point) = info.strip_prefix(&P256).filter(|point| point.len() == 65) {
        return Some((&ECDSA_P256_SHA256_ASN1, point));
    }
    if let Some(key) = info.strip_prefix(&ED).filter(|key| key.len() == 32) {
        return Some((&ED25519, key));
    }
    // Keys of 2048 bits and more have lengths of two bytes.
    let rest = info.strip_prefix(&[0x30, 0x82])?.get(2..)?.strip_prefix(&RSA)?;
    let key = rest.strip_prefix(&[0x03, 0x82])?.get(2..)?.strip_prefix(&[0x00])?;
    Some((&RSA_PKCS1_2048_8192_SHA256, key))
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::prelude::BASE64_STANDARD;
    use ring::signature::{Ed25519KeyPair, KeyPair};

    use super::*;

    fn party() -> RelyingParty {
        RelyingParty::of("https://recto.example.com")
    }

    #[test]
    fn the_host_of_the_address_is_what_passkeys_are_bound_to() {
        let check = |url: &str, id: &str, usable: bool| {
            let party = RelyingParty::of(url);
            assert_eq!((party.id.as_str(), party.origin.as_str(), party.is_usable()), (id, url, usable));
        };
        check("https://recto.example.com", "recto.example.com", true);
        check("http://localhost:8080", "localhost", true);
        check("http://127.0.0.1:8080", "127.0.0.1", false);
        check("http://[::1]:8080", "[::1]", false);
    }

    #[test]
    fn the_browser_has_to_sign_for_this_ceremony_and_this_origin() {
        let check = |data: &str, expected: Option<&str>| {
            let challenge = challenge_of(data.as_bytes(), Ceremony::SignIn, &party());
            assert_eq!(challenge.as_deref(), expected, "{data}");
        };
        let right =
            r#"{"type":"webauthn.get","challenge":"abc","origin":"https://recto.example.com","more":1}"#;
        check(right, Some("abc"));
        check(&right.replace("get", "create"), None);
        check(&right.replace("https", "http"), None);
        check(&right.replace("example.com", "example.com.evil.org"), None);
        check(&right.replace("\"more\":1", "\"crossOrigin\":true"), None);
        check(&right.replace("\"more\":1", "\"crossOrigin\":false"), Some("abc"));
        check("{}", None);
        check("", None);
    }

    #[test]
    fn authenticator_data_is_read_as_far_as_it_is_there() {
        let hash = sha256("recto.example.com");
        let data = |flags: u8, rest: &[u8]| [hash.as_slice(), &[flags], &[0, 0, 1, 2], rest].concat();
        let parse = |data: &[u8]| {
            AuthenticatorData::parse(data, &party())
                .map(|data| (data.sign_count, data.credential.map(<[u8]>::to_vec)))
        };
        assert_eq!(parse(&data(0x05, &[])), Some((258, None)));
        let credential = [&[0; 16][..], &[0, 3], b"abc and a key"].concat();
        assert_eq!(parse(&data(0x45, &credential)), Some((258, Some(b"abc".to_vec()))));
        for length in 0..37 {
            assert_eq!(parse(&data(0x05, &[])[..length]), None);
        }
        for length in 0..21 {
            assert_eq!(parse(&data(0x45, &credential[..length])), None);
        }
        assert_eq!((parse(&data(0x04, &[])), parse(&data(0x01, &[]))), (None, None));
        assert_eq!(
            AuthenticatorData::parse(&data(0x05, &[]), &RelyingParty::of("https://example.com")),
            None
        );
    }

    #[test]
    fn signatures_of_ed25519_are_checked() {
        let pair = Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap();
        let key = [&ED[..], pair.public_key().as_ref()].concat();
        let (data, client_data) = (b"authenticator data", b"{}");
        let signature = pair.sign(&[&data[..], sha256(client_data).as_slice()].concat());
        assert!(is_signed(&key, data, client_data, signature.as_ref()));
        assert!(!is_signed(&key, data, b"{ }", signature.as_ref()));
        assert!(!is_signed(&key, b"other data", client_data, signature.as_ref()));
        assert!(!is_signed(&key[..43], data, client_data, signature.as_ref()));
    }

    /// The key and the signature were made by OpenSSL.
    #[test]
    fn signatures_of_rsa_are_checked() {
        let key = BASE64_STANDARD.decode(concat!(
            "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAtHQCgg3RxLaTLD/8S7zxvp2qbpY15oG9qN4fkt9lcXbPFJ3B5YZ7p33BmPWn",
            "fIjSzovZmqpu3bmtZpXtdJevDNKPkEonbnnmqlXkLbgyUkmNaltsHIlRKhUqrGU9BkThe+dIjagGVbg2bW/IjDmo1s5QsqaGYeVYVUd2",
            "5iSxJpU8W75YH2hXkNFohUU3Vnr9XGNuSvLopUQhaw86z92pdtWEIjXW0LtoUA70fPZ0LWScwPOYlv5wOU9VtVxtGlMhbWMdKfyECtV8",
            "4YWOeur0yC3Iw2UyQRejCLDBaLNzQmLTD/TxRwGwcJQGkTmgFRGkXb5MZUhsM7dUvAlIJHviEQIDAQAB",
        ));
        let signature = BASE64_STANDARD.decode(concat!(
            "sdsxeJ8P4YqSOA/VxLD/m6aVAA5tTqp1cwuRg66zlHxvHdLzsbqiyCOn5GZ91jo2rBk2qOC3EEgLxGMB0Shvd7pKBWn035i7ptufK1qk",
            "cYX9L1q4qK5DSCKxOjgpcIOrVho/G5SKSB09redlPwrw6ijSRKu9m861HcFpuCXZ4gw57seuwRNYSj+cFWsQOjLsfEb5QCITAc+44Elq",
            "gXi/chJ8s9RsWwIB8IjBB7FO/I6jh9tFCUA5AvRd9zEAjcpLDwvkgytC2egGqJYsOnc0q+3ACdRONgLLXO1csvcMDC2wvmni3Cw0HVG3",
            "lsyIEJfIOcZAmS0/b0ZvjTYplmJSpw==",
        ));
        let (key, mut signature) = (key.unwrap(), signature.unwrap());
        let client_data = br#"{"type":"webauthn.get"}"#;
        assert!(is_signed(&key, b"authenticator data", client_data, &signature));
        signature[9] ^= 1;
        assert!(!is_signed(&key, b"authenticator data", client_data, &signature));
    }

    #[test]
    fn keys_of_other_kinds_are_not_supported() {
        for key in [&[][..], &[0x30], &P256, &ED, &[0x30; 91]] {
            assert!(!is_supported(key), "{key:?}");
        }
    }
}
