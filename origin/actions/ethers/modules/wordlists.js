/*
 * Replacement for wordlists.js of @ethersproject/wordlists. The original browser module contains only English; this one
 * contains the word lists of the Node build.
 */
import { langCz } from './lang-cz'
import { langEn } from './lang-en'
import { langEs } from './lang-es'
import { langFr } from './lang-fr'
import { langIt } from './lang-it'
import { langJa } from './lang-ja'
import { langKo } from './lang-ko'
import { langZhCn, langZhTw } from './lang-zh'

export const wordlists = {
  cz: langCz,
  en: langEn,
  es: langEs,
  fr: langFr,
  it: langIt,
  ja: langJa,
  ko: langKo,
  zh: langZhCn,
  zh_cn: langZhCn,
  zh_tw: langZhTw,
}
