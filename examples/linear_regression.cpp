// Linear regression in a page: what diamonds cost, by weight, cut, colour and clarity. Run it in the folder that holds
// examples/.
//
// Expected output:
//                  estimate  std. error       t           p  95 % from        to
//   (intercept)    -7424.33     59.3597  -125.1           0   -7540.67  -7307.98
//   carat           8894.03      13.843   642.5           0     8866.9   8921.17
//   cut=Good        659.445     38.7426   17.02   9.622e-65    583.509   735.382
//   cut=Ideal       993.205      35.345    28.1  4.408e-172    923.928   1062.48
//   cut=Premium     862.852     35.6599    24.2   1.98e-128    792.958   932.746
//   cut=Very Good   845.212     36.0467   23.45  8.954e-121     774.56   915.865
//   color=E        -220.954     21.0676  -10.49    1.06e-25   -262.247  -179.661
//   color=F        -307.849     21.2757  -14.47    2.48e-47   -349.549  -266.148
//   color=G         -519.66     20.8464  -24.93  3.963e-136   -560.519    -478.8
//   color=H        -983.356       22.14  -44.42           0   -1026.75  -939.961
//   color=I        -1445.46     24.9149  -58.02           0   -1494.29  -1396.63
//   color=J        -2309.77     30.8789   -74.8           0    -2370.3  -2249.25
//   clarity=IF      5462.92     59.8385   91.29           0    5345.63    5580.2
//   clarity=SI1     3639.18       51.13   71.17           0    3538.96   3739.39
//   clarity=SI2     2689.41     51.3451   52.38           0    2588.77   2790.05
//   clarity=VS1     4597.45      52.225   88.03           0    4495.08   4699.81
//   clarity=VS2     4284.64     51.4092   83.34           0    4183.87    4385.4
//   clarity=VVS1    5140.48     55.2779   92.99           0    5032.14   5248.83
//   clarity=VVS2    5037.46     53.7795   93.67           0    4932.06   5142.87
//   residual standard error 1151.61 on 40436 degrees of freedom; 40455 observations
//   R2 0.916721, adjusted 0.916684; F 24728.6 on 18 and 40436 degrees of freedom, p 0
//   R2 0.9136 of 13485 others
//   worth 3872 dollars
//   worth 6376 dollars
#include <cstdio>

#include <tilelearn/tilelearn.hpp>

namespace tl = tilelearn;

int main() {
  const tl::Table all = tl::read_csv("examples/data/diamonds.csv");
  std::vector<std::int64_t> fitted, held_out;  // every fourth row
  for (std::int64_t row = 0; row < all.rows(); ++row) (row % 4 == 3 ? held_out : fitted).push_back(row);
  const tl::Table diamonds = all.select(fitted);
  const tl::Table others = all.select(held_out);

  // A category becomes columns of 0 and 1, each against the first in the alphabet: cut Fair, color D, clarity I1.
  tl::TableEncoder encoder =
      tl::TableEncoder::fit(all, {.columns = {"carat", "cut", "color", "clarity"}, .drop_first = true});
  tl::LinearRegression<double> model;
  model.fit(encoder.encode<double>(diamonds).X, diamonds.numbers("price"));
  std::printf("%s", tl::to_text(model.summary(), encoder.feature_names()).c_str());
  const double r2 = model.score(encoder.encode<double>(others).X, others.numbers("price"));
  std::printf("R2 %.4f of %d others\n", r2, static_cast<int>(others.rows()));

  const tl::Pipeline pipeline(std::move(encoder), std::nullopt,
                              std::move(model));  // save() and load() make a file of it
  const tl::Table offers = tl::parse_csv("carat,cut,color,clarity\n0.7,Ideal,G,VS1\n1.2,Good,E,SI2\n");
  for (const double price : pipeline.predict_values(offers).to_std()) std::printf("worth %.0f dollars\n", price);
}
