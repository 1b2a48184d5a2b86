import type { View } from '../view.ts'

export const StartView: View = () => null
