/** Of the settings of people, operators, limits and messages. */
export const peopleSettingWords: Readonly<Record<string, string>> = {
  "/docs/settings#setting-TERMS_URL": "where the legal documents are hosted own terms and conditions link",
  "/docs/settings#setting-SIGN_IN_DOMAINS":
    "allow another website to log people in cors origins whitelist frontend domain",
  "/docs/settings#setting-CODE_PEPPER": "protect one-time passwords hash secret otp",
  "/docs/settings#setting-OIDC_ISSUER":
    "single sign-on okta entra google workspace keycloak staff login azure ad auth0 identity provider of employees",
  "/docs/settings#setting-OIDC_CLIENT_ID": "okta application id staff login",
  "/docs/settings#setting-OIDC_CLIENT_SECRET": "okta application secret staff login",
  "/docs/settings#setting-OIDC_SCOPES": "refresh token offline_access staff login groups scope",
  "/docs/settings#setting-OIDC_GROUPS_CLAIM":
    "groups not in the token role missing keycloak realm roles claim path staff",
  "/docs/settings#setting-OPERATOR_ROLES":
    "map groups to roles give access colleague permissions employee admin rights",
  "/docs/settings#setting-OPERATOR_TWO_PERSONS":
    "four eyes second person approves refund erase dual control maker checker turn off approval, change approvals so that one person is enough, require two persons",
  "/docs/settings#setting-OPERATOR_SESSION_MINUTES":
    "operator logged out session timeout staff stay signed in longer idle, log in again every hour",
  "/docs/settings#setting-OPERATOR_CLI": "forbid changes at the terminal require personal sign-in for command line",
  "/docs/settings#setting-OPERATOR_REFRESH_MINUTES": "how fast a dismissed employee loses access group change delay",
  "/docs/settings#setting-ALERT_WEBHOOK_URL": "slack pagerduty teams send alerts opsgenie discord notify",
  "/docs/settings#setting-ALERT_MAIL":
    "alerts by mail on call e-mail notification of problems, get notified when a case opens",
  "/docs/settings#setting-ALERT_DEBT_CENTS_MIN": "alert when a customer owes more than threshold",
  "/docs/settings#setting-RELAYED_OPERATIONS_PER_HOUR": "maximum withdrawals per hour of one person limit raise",
  "/docs/settings#setting-SAFE_DEPLOYMENTS_PER_DAY": "how often may a user create an account again abuse",
  "/docs/settings#setting-CARDS_PER_DAY":
    "how many virtual cards may a user make per day, card creation loop abuse, issuer fees per card, raise the number of cards",
  "/docs/settings#setting-REVERTED_GAS_PER_HOUR_MAX": "user burns our gas abuse griefing budget failed transactions",
  "/docs/settings#setting-REVERTED_GAS_PER_DAY_MAX": "user burns our gas abuse griefing daily budget",
  "/docs/settings#setting-READS_PER_MINUTE": "rate limit requests raise increase quota get throttling 429",
  "/docs/settings#setting-WRITES_PER_MINUTE": "rate limit requests raise increase quota post throttling 429",
  "/docs/settings#setting-RULE_CHANGES_PER_MINUTE": "how often may a partner change card rules limit",
  "/docs/settings#setting-KYC_REQUESTS_PER_MINUTE":
    "how often may a person start identity verification sumsub rate limit",
  "/docs/settings#setting-OPEN_REQUESTS_PER_MINUTE":
    "unauthenticated rate limit per ip ddos brute force bots protection anonymous",
  "/docs/settings#setting-CODE_REQUESTS_PER_MINUTE": "otp spam per ip sms pumping limit codes",
  "/docs/settings#setting-MAIL_CODES_PER_MINUTE": "how soon may a login code be resent e-mail otp limit",
  "/docs/settings#setting-MAIL_CODES_PER_HOUR": "e-mail bombing codes per hour limit",
  "/docs/settings#setting-PHONE_CODES_PER_HOUR": "sms codes per hour limit text message pumping cost",
  "/docs/settings#setting-CARD_COUNTRIES":
    "which countries are supported residents available where can people live launch market geography block a country UK USA switzerland, offer cards in the UK united kingdom, person moved to an unsupported country, add a new country, where do we sell",
  "/docs/settings#setting-CONTACT_WINDOW_HOURS":
    "SIM swap protection waiting period after phone number change cooling-off account takeover",
  "/docs/settings#setting-KYC_PROVIDER": "sumsub onfido persona choose identity vendor",
  "/docs/settings#setting-KYC_URL": "sumsub api address",
  "/docs/settings#setting-KYC_APP_TOKEN": "sumsub credentials",
  "/docs/settings#setting-KYC_APP_SECRET": "sumsub credentials secret key",
  "/docs/settings#setting-KYC_CALLBACK_SECRET": "sumsub webhook secret verify digest",
  "/docs/settings#setting-KYC_SHARE_CLIENT_ID": "reuse an existing KYC share token applicant from another company",
  "/docs/settings#setting-KYC_LEVEL":
    "sumsub level name which documents are asked proof of address liveness, sumsub levels which checks",
  "/docs/settings#setting-KYC_RECHECK_DAYS":
    "repeat identity check periodically ongoing monitoring refresh expired passport re-verification",
  "/docs/settings#setting-KYC_AGE_MIN": "minimum age under 18 minors children adult, age limit how old",
  "/docs/settings#setting-RECORD_YEARS_IDENTITY": "how many years identity documents retention stored KYC records AML",
  "/docs/settings#setting-RECORD_YEARS_PAYMENTS": "how many years payments retention stored bookkeeping tax law",
  "/docs/settings#setting-MAIL_URL":
    "connect our own mail server smtp, sendgrid ses mailgun postmark outgoing e-mail provider",
  "/docs/settings#setting-MAIL_FROM": "sender address of the mails from our own domain noreply spam spf dkim",
  "/docs/settings#setting-SMS_URL": "twilio text messages provider vonage messagebird sender",
  "/docs/settings#setting-PROGRAMME_NAME": "our own brand name white label company name in mails",
  "/docs/settings#setting-PROGRAMME_LOGO": "logo in mails picture image brand",
  "/docs/settings#setting-PROGRAMME_COLOR": "brand colour color theme button",
  "/docs/settings#setting-PROGRAMME_LANGUAGE": "default language german spanish",
  "/docs/settings#setting-SUPPORT_ADDRESS": "help contact link in mails customer service e-mail",
  "/docs/settings#setting-PROGRAMME_APP_URL": "link to our app in mails deep link",
  "/docs/settings#setting-PROGRAMME_IMPRINT_URL": "legal notice imprint company details footer",
  "/docs/settings#setting-PROGRAMME_PRIVACY_URL": "privacy policy link data protection footer gdpr",
  "/docs/settings#setting-LANGUAGES_FOLDER":
    "add a language french translate texts wording change mail templates italian portuguese edit the text of a mail",
};
