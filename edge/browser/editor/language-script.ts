import { languageScriptVersion } from 'language-script-version'

/** The version makes the URL immutable, so that browsers download the script once. */
export const LANGUAGE_SCRIPT = `/scripts/language.js?v=${languageScriptVersion}`
