import { expect, it, test } from 'vitest'
import { escapeInvisible } from '../../edge/browser/components/user-text.tsx'

test.each([
  ['a combining joiner', 'pay\u034Froll', 'pay‹U+034F›roll'],
  ['a blank letter of Hangul', 'payroll\u3164', 'payroll‹U+3164›'],
  ['a selector of no shape', 'pay\uFE0Froll', 'pay‹U+FE0F›roll'],
  ['data in selectors', 'pay\u{E0101}\u{E0131}', 'pay‹U+E0101›‹U+E0131›'],
  ['a soft hyphen', 'pay\u00ADroll', 'pay‹U+00AD›roll'],
  ['a turn of direction', 'pay\u2067llor', 'pay‹U+2067›llor'],
])('impostor: %s does not produce two names that look the same', (_, text, shown) => {
  expect(escapeInvisible(text)).toBe(shown)
})

it('keeps emoji unchanged', () => {
  expect(escapeInvisible('⚠️ low on gas ❤️')).toBe('⚠️ low on gas ❤️')
})

it('keeps text in other scripts unchanged', () => {
  const texts = ['naïve', 'Ωμέγα', 'שלום', 'नमस्ते', '日本語', '한국어', 'ไทย', 'é']
  expect(texts.map(escapeInvisible)).toEqual(texts)
})
