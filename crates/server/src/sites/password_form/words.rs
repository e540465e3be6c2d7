//! The words of the password form, in the languages that the theme has too.

use axum::http::HeaderMap;
use axum::http::header::ACCEPT_LANGUAGE;
use generator::is_right_to_left;

use crate::encoding::quality;

pub(super) struct Words {
    /// The tag for HTML, and the beginning of those that visitors ask for.
    language: &'static str,
    pub(super) title: &'static str,
    pub(super) lead: &'static str,
    pub(super) label: &'static str,
    pub(super) button: &'static str,
    pub(super) wrong: &'static str,
    pub(super) too_many: &'static str,
    pub(super) busy: &'static str,
    pub(super) unreadable: &'static str,
}

/// Browsers send up to about ten languages.
const MAX_ASKED: usize = 20;

impl Words {
    /// In the language that the visitor prefers, if there are words in it. The form comes before the site: it reveals nothing
    /// about it, not even its language.
    pub(super) fn preferred(headers: &HeaderMap) -> &'static Words {
        let lines = headers.get_all(ACCEPT_LANGUAGE).iter().filter_map(|line| line.to_str().ok());
        let asked = lines.flat_map(|line| line.split(',')).take(MAX_ASKED).filter_map(|item| {
            let (tag, parameters) = item.split_once(';').unwrap_or((item, ""));
            Some((Words::of(tag.trim())?, quality(parameters).filter(|quality| *quality > 0)?))
        });
        // The first one of those with the same quality.
        let best = asked.reduce(|best, next| if next.1 > best.1 { next } else { best });
        best.map_or(&ALL[0], |(words, _)| words)
    }

    fn of(tag: &str) -> Option<&'static Words> {
        let language = tag.split('-').next().unwrap_or_default().to_ascii_lowercase();
        let language = if language == "iw" { "he" } else { &language };
        ALL.iter().find(|words| words.language == language)
    }

    /// For the `html` element.
    pub(super) fn attributes(&self) -> String {
        let direction = if is_right_to_left(self.language) { " dir=\"rtl\"" } else { "" };
        format!("lang=\"{}\"{direction}", self.language)
    }
}

/// English, for all who prefer another language, is the first one.
static ALL: [Words; 13] = [
    Words {
        language: "en",
        title: "Please enter the password",
        lead: "This site is for readers who know its password.",
        label: "Password",
        button: "Open the site",
        wrong: "That is not the password. Please try again.",
        too_many: "Too many attempts. Please wait a minute.",
        busy: "The server is busy. Please try again in a moment.",
        unreadable: "That could not be read. Please try again.",
    },
    Words {
        language: "ar",
        title: "يرجى إدخال كلمة المرور",
        lead: "هذا الموقع مخصص للقراء الذين يعرفون كلمة المرور.",
        label: "كلمة المرور",
        button: "فتح الموقع",
        wrong: "كلمة المرور غير صحيحة. يرجى المحاولة مرة أخرى.",
        too_many: "محاولات كثيرة جدًا. يرجى الانتظار دقيقة.",
        busy: "الخادم مشغول. يرجى المحاولة مرة أخرى بعد لحظات.",
        unreadable: "تعذرت قراءة الطلب. يرجى المحاولة مرة أخرى.",
    },
    Words {
        language: "de",
        title: "Bitte das Passwort eingeben",
        lead: "Diese Website ist für alle, die ihr Passwort kennen.",
        label: "Passwort",
        button: "Website öffnen",
        wrong: "Das Passwort stimmt nicht. Bitte noch einmal versuchen.",
        too_many: "Zu viele Versuche. Bitte eine Minute warten.",
        busy: "Der Server ist ausgelastet. Bitte gleich noch einmal versuchen.",
        unreadable: "Das konnte nicht gelesen werden. Bitte noch einmal versuchen.",
    },
    Words {
        language: "es",
        title: "Introduzca la contraseña",
        lead: "Este sitio es para quienes conocen su contraseña.",
        label: "Contraseña",
        button: "Abrir el sitio",
        wrong: "La contraseña no es correcta. Inténtelo de nuevo.",
        too_many: "Demasiados intentos. Espere un minuto.",
        busy: "El servidor está ocupado. Inténtelo de nuevo en un momento.",
        unreadable: "No se ha podido leer. Inténtelo de nuevo.",
    },
    Words {
        language: "fr",
        title: "Saisissez le mot de passe",
        lead: "Ce site est réservé aux lecteurs qui connaissent son mot de passe.",
        label: "Mot de passe",
        button: "Ouvrir le site",
        wrong: "Ce n’est pas le bon mot de passe. Veuillez réessayer.",
        too_many: "Trop de tentatives. Veuillez patienter une minute.",
        busy: "Le serveur est occupé. Veuillez réessayer dans un instant.",
        unreadable: "La demande n’a pas pu être lue. Veuillez réessayer.",
    },
    Words {
        language: "he",
        title: "נא להזין את הסיסמה",
        lead: "אתר זה מיועד לקוראים שיודעים את הסיסמה שלו.",
        label: "סיסמה",
        button: "פתיחת האתר",
        wrong: "הסיסמה שגויה. נא לנסות שוב.",
        too_many: "יותר מדי ניסיונות. נא להמתין דקה.",
        busy: "השרת עמוס. נא לנסות שוב בעוד רגע.",
        unreadable: "לא ניתן היה לקרוא את הבקשה. נא לנסות שוב.",
    },
    Words {
        language: "it",
        title: "Inserisci la password",
        lead: "Questo sito è riservato ai lettori che ne conoscono la password.",
        label: "Password",
        button: "Apri il sito",
        wrong: "La password non è corretta. Riprova.",
        too_many: "Troppi tentativi. Attendi un minuto.",
        busy: "Il server è occupato. Riprova tra un momento.",
        unreadable: "Non è stato possibile leggere la richiesta. Riprova.",
    },
    Words {
        language: "ja",
        title: "パスワードを入力してください",
        lead: "このサイトは、パスワードをご存じの方のみご覧いただけます。",
        label: "パスワード",
        button: "サイトを開く",
        wrong: "パスワードが違います。もう一度お試しください。",
        too_many: "試行回数が多すぎます。1分ほどお待ちください。",
        busy: "サーバーが混み合っています。しばらくしてからもう一度お試しください。",
        unreadable: "読み取れませんでした。もう一度お試しください。",
    },
    Words {
        language: "ko",
        title: "비밀번호를 입력하세요",
        lead: "이 사이트는 비밀번호를 아는 독자만 볼 수 있습니다.",
        label: "비밀번호",
        button: "사이트 열기",
        wrong: "비밀번호가 올바르지 않습니다. 다시 시도하세요.",
        too_many: "시도 횟수가 너무 많습니다. 1분 후에 다시 시도하세요.",
        busy: "서버가 사용 중입니다. 잠시 후 다시 시도하세요.",
        unreadable: "요청을 읽을 수 없습니다. 다시 시도하세요.",
    },
    Words {
        language: "nl",
        title: "Voer het wachtwoord in",
        lead: "Deze site is voor lezers die het wachtwoord kennen.",
        label: "Wachtwoord",
        button: "Site openen",
        wrong: "Dat is niet het wachtwoord. Probeer het opnieuw.",
        too_many: "Te veel pogingen. Wacht een minuut.",
        busy: "De server is bezet. Probeer het zo meteen opnieuw.",
        unreadable: "Dat kon niet worden gelezen. Probeer het opnieuw.",
    },
    Words {
        language: "pl",
        title: "Podaj hasło",
        lead: "Ta witryna jest dla czytelników, którzy znają jej hasło.",
        label: "Hasło",
        button: "Otwórz witrynę",
        wrong: "To nie jest właściwe hasło. Spróbuj ponownie.",
        too_many: "Zbyt wiele prób. Poczekaj minutę.",
        busy: "Serwer jest zajęty. Spróbuj ponownie za chwilę.",
        unreadable: "Nie udało się odczytać żądania. Spróbuj ponownie.",
    },
    Words {
        language: "pt",
        title: "Digite a senha",
        lead: "Este site é para leitores que conhecem a senha.",
        label: "Senha",
        button: "Abrir o site",
        wrong: "A senha não está correta. Tente novamente.",
        too_many: "Tentativas demais. Aguarde um minuto.",
        busy: "O servidor está ocupado. Tente novamente em instantes.",
        unreadable: "Não foi possível ler a solicitação. Tente novamente.",
    },
    Words {
        language: "zh",
        title: "请输入密码",
        lead: "此网站仅供知道密码的读者访问。",
        label: "密码",
        button: "打开网站",
        wrong: "密码不正确，请重试。",
        too_many: "尝试次数过多，请等待一分钟。",
        busy: "服务器繁忙，请稍后重试。",
        unreadable: "无法读取请求，请重试。",
    },
];

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn preferred(asked: &'static str) -> &'static str {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT_LANGUAGE, HeaderValue::from_static(asked));
        Words::preferred(&headers).language
    }

    #[test]
    fn the_first_preferred_language_that_is_known_is_used() {
        assert_eq!(Words::preferred(&HeaderMap::new()).language, "en");
        assert_eq!(preferred("de-CH,de;q=0.9,en;q=0.8"), "de");
        assert_eq!(preferred("gsw, fr;q=0.7, it;q=0.8"), "it");
        assert_eq!(preferred("pt-BR, es"), "pt");
        assert_eq!(preferred("ZH-hant-TW"), "zh");
        assert_eq!(preferred("iw"), "he");
        assert_eq!(preferred("de;q=0, nl;q=0.1"), "nl");
        assert_eq!(preferred("*, de;q=0.5"), "de");
        for unknown in ["", "*", "tlh", ",,;;==", "de;q=x", "de;q=2", "d"] {
            assert_eq!(preferred(unknown), "en", "{unknown}");
        }
    }
}
