/** Where a user's money comes from: questions with answers to choose. The score of the answers is never published. */
import { z } from "zod";
import { defineRoute } from "../core/route.ts";

const textLengthMax = 500;
const answersMax = 100;
/** RFC 5646 suggests room for 35 characters. */
const localeLengthMax = 35;

const questionText = {
  description: "The question from `GET /source-of-funds`, unchanged",
  examples: ["What is your main source of funds?"],
};
const answerText = { description: "One of its answers, unchanged", examples: ["Salary"] };

export const questions = defineRoute({
  method: "GET",
  path: "/source-of-funds",
  summary: "The questions about the source of funds, with the answers to choose from",
  access: "user",
  input: z.object({
    locale: z
      .string()
      .max(localeLengthMax)
      .optional()
      .meta({ description: "Country whose currency the amounts use; EUR otherwise", examples: ["BR"] }),
  }),
  output: z.array(
    z.object({
      question: z.string().meta(questionText),
      answers: z
        .array(z.string())
        .meta({ description: "The answers to choose from", examples: [["Salary", "Savings"]] }),
    }),
  ),
  errors: ["request.invalid"],
  errorStyle: "error",
});

export const answer = defineRoute({
  method: "POST",
  path: "/source-of-funds",
  summary: "Answers all questions at once. Each answer is one of the question's texts in any locale, unchanged",
  access: "user",
  input: z
    .array(
      z.object({
        question: z.string().max(textLengthMax).meta(questionText),
        answer: z.string().max(textLengthMax).meta(answerText),
      }),
    )
    .max(answersMax),
  output: z.object({
    message: z.string().meta({ description: "The result, in words", examples: ["Source of funds submitted"] }),
  }),
  errors: [
    "request.invalid",
    "sourceOfFunds.unknown_question",
    "sourceOfFunds.unknown_answer",
    "sourceOfFunds.incomplete",
  ],
  errorStyle: "error",
});
