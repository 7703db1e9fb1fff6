/** What is asked until the operator asks something else. */
import type { Risk } from "@cardkeep/db/schema/users/users";
import type { QuestionSet } from "./questionSet.ts";

const answers = (risk: Risk, ...texts: string[]) => texts.map((text) => ({ text, risk }));

export const defaultQuestions: QuestionSet = [
  {
    question: "What is your employment status?",
    answers: [
      ...answers("green", "Employed", "Self-employed", "Student", "Retired"),
      ...answers("orange", "Not employed", "Other"),
    ],
  },
  {
    question: "What is your main source of funds?",
    answers: [
      ...answers("green", "Salary", "Business income", "Pension", "Savings", "Investments"),
      ...answers("orange", "Inheritance or gift", "Sale of crypto-assets", "Sale of property"),
      ...answers("red", "Gambling"),
    ],
  },
  {
    question: "What is your yearly income?",
    answers: [
      ...answers("green", "Up to {25000}", "{25000} to {50000}", "{50000} to {100000}", "{100000} to {250000}"),
      ...answers("orange", "More than {250000}"),
    ],
  },
  {
    question: "How much will you spend with your card in a month?",
    answers: [
      ...answers("green", "Up to {1000}", "{1000} to {2500}", "{2500} to {5000}"),
      ...answers("orange", "{5000} to {10000}", "More than {10000}"),
    ],
  },
  {
    question: "What will you use your account for?",
    answers: [
      ...answers("green", "Everyday spending", "Travel", "Online shopping", "Saving"),
      ...answers("orange", "Business payments"),
      ...answers("red", "Payments for somebody else"),
    ],
  },
  {
    question: "Are you, or is anybody close to you, a politically exposed person?",
    answers: [...answers("green", "No"), ...answers("red", "Yes")],
  },
];
