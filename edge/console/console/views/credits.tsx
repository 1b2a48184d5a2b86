import type { View } from '../view.ts'

export const CreditsView: View = () => null
